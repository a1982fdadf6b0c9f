/**
 * The lock that one daemon holds on the database. It is a session's: it ends with its connection, and is taken again. A daemon
 * that has not heard of it for some seconds writes nothing, so that it has stopped before the server gives it to another.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Succession } from '../store.ts';
import { LockedError } from '../store-errors.ts';
import { isLost, UnlockedError } from './lost-connections.ts';

/** Of `pg_locks.objid`. */
export const DAEMON_LOCK = 3_572;
/** `application_name` of a daemon that waits for it. */
export const STANDS_BY = 'postroom standing by';
const RETAKE_MS = 200;
/** Between two tries of a daemon that stands by. */
const STAND_BY_MS = 1_000;
/**
 * How the connection is asked whether it lives. The server gives the lock of a machine that is gone away after 25 s: from a
 * question that was answered, it counts as held for less, and its connection is given up later. A shorter cut ends neither.
 */
const PACE = { beatMs: 3_000, answerWithinMs: 30_000, heldMs: 10_000 };

export interface DaemonLock {
  /** @throws UnlockedError while it is not held */
  require(): void;
  release(): Promise<void>;
}

/** For commands, which work beside a daemon. */
export const noDaemonLock: DaemonLock = { require: () => {}, release: async () => {} };

/**
 * @param succession left out: a lock that another holds is refused
 * @throws LockedError where another daemon works on the database
 */
export const lockDatabase = async (
  createClient: () => pg.Client,
  onFault: (error: unknown) => void,
  succession?: Succession,
  { beatMs, answerWithinMs, heldMs } = PACE,
): Promise<DaemonLock> => {
  let held: pg.Client | null = null;
  let answeredAt = 0;
  let isReleased = false;

  /** Asks for the lock by a connection of its own, which ends without it. */
  const take = async (ask: (client: pg.Client) => Promise<boolean>): Promise<void> => {
    const client = createClient();
    try {
      await client.connect();
      if (!(await ask(client))) throw new LockedError('Another daemon works on the database.');
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  };

  const askOnce = async (client: pg.Client): Promise<boolean> => {
    const askedAt = performance.now();
    const { rows } = await client.query<{ held: number }>('select pg_try_advisory_lock($1) as held', [DAEMON_LOCK]);
    if (!rows[0]?.held) return false;
    client.once('end', () => lose(client));
    held = client;
    answeredAt = askedAt;
    void beat(client);
    return true;
  };

  const askAgain = async (client: pg.Client): Promise<boolean> => {
    await client.query(`set application_name = '${STANDS_BY}'`);
    while (!(await askOnce(client))) await pause(STAND_BY_MS);
    return true;
  };

  const lose = (client: pg.Client): void => {
    if (held !== client) return;
    held = null;
    client.end().catch(() => undefined);
    void retake();
  };

  /** A connection to a machine that is gone says nothing by itself. */
  const beat = async (client: pg.Client): Promise<void> => {
    while (held === client && !isReleased) {
      const askedAt = performance.now();
      const answered = client.query('select 1').then(
        () => true,
        () => false,
      );
      if (!(await Promise.race([answered, pause(answerWithinMs, false, { ref: false })]))) {
        lose(client);
        return;
      }
      answeredAt = askedAt;
      await pause(beatMs, undefined, { ref: false });
    }
  };

  const retake = async (): Promise<void> => {
    let isTold = false;
    while (!isReleased && held === null) {
      try {
        await take(askOnce);
      } catch (error) {
        if (error instanceof LockedError && succession) {
          succession.onTakenOver();
          return;
        }
        if (!isTold) onFault(error);
        isTold = true;
        await pause(RETAKE_MS, undefined, { ref: false });
      }
    }
    if (isReleased) await held?.end();
  };

  try {
    await take(askOnce);
  } catch (error) {
    if (!succession || !(error instanceof LockedError)) throw error;
    succession.onStandBy();
    // The server may end meanwhile, and come back.
    while (held === null) {
      await take(askAgain).catch(async (lost) => {
        if (!isLost(lost)) throw lost;
        await pause(STAND_BY_MS);
      });
    }
  }
  return {
    require: () => {
      if (held !== null && performance.now() - answeredAt < heldMs) return;
      throw new UnlockedError('The lock of the database is being taken again.');
    },
    release: async () => {
      isReleased = true;
      await held?.end();
    },
  };
};
