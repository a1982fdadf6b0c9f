/**
 * The lock that one daemon holds on the database. It is a session's: it ends with its connection, and is taken again. A daemon
 * that has not heard of it for some seconds writes nothing, so that it has stopped before the server gives it to another.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Succession } from '../store.ts';
import { LockedError } from '../store-errors.ts';
import { DAEMON_LOCK, HAND_OVER, IS_DAEMON_LOCK, toBoxName } from './boxes.ts';
import { isLost, UnlockedError } from './lost-connections.ts';

const RETAKE_MS = 200;
/** Between two tries of a daemon that stands by. */
const STAND_BY_MS = 250;
/** How long a daemon that hands over waits until another has the lock. */
const HANDED_OVER_WITHIN_MS = 10_000;
const LOOK_MS = 50;
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
  let isAsked = false;

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

  /** Has its connection name this box, and hear what is asked of the one that serves. */
  const introduce = async (client: pg.Client): Promise<void> => {
    if (!succession) return;
    await client.query("select set_config('application_name', $1, false)", [toBoxName()]);
    await client.query(`listen ${HAND_OVER}`);
  };

  const askOnce = async (client: pg.Client): Promise<boolean> => {
    const askedAt = performance.now();
    const { rows } = await client.query<{ held: number }>('select pg_try_advisory_lock($1) as held', [DAEMON_LOCK]);
    if (!rows[0]?.held) return false;
    await introduce(client);
    client.once('end', () => lose(client));
    client.on('notification', () => {
      isAsked = true;
      succession?.onHandOver();
    });
    held = client;
    answeredAt = askedAt;
    void beat(client);
    return true;
  };

  const askAgain = async (client: pg.Client): Promise<boolean> => {
    await introduce(client);
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

  /** Gives the lock away, and waits until another has it: this daemon's next start would take it again else. */
  const giveAway = async (client: pg.Client): Promise<void> => {
    await client.query('select pg_advisory_unlock($1)', [DAEMON_LOCK]);
    const end = performance.now() + HANDED_OVER_WITHIN_MS;
    const isTaken = async () => (await client.query(`select from pg_locks l where ${IS_DAEMON_LOCK}`)).rows.length > 0;
    while (!(await isTaken()) && performance.now() < end) await pause(LOOK_MS);
  };

  try {
    await take(askOnce);
  } catch (error) {
    if (!succession || !(error instanceof LockedError)) throw error;
    await succession.onStandBy();
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
      if (isAsked && held) await giveAway(held).catch(() => undefined);
      await held?.end();
    },
  };
};
