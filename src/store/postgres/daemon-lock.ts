/**
 * The lock of the daemon that leads. It is a session's: it ends with its connection, and is taken again. A daemon that has
 * not heard of it for some seconds writes nothing, so that it has stopped before the server gives it to another.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { RunId } from '../../kernel/ids.ts';
import type { Succession } from '../store.ts';
import { LockedError } from '../store-errors.ts';
import { CHANGED, DAEMON_LOCK, HAND_OVER, IS_DAEMON_LOCK, recordServing, toBoxName } from './boxes.ts';
import { isLost, UnlockedError } from './lost-connections.ts';

const RETAKE_MS = 200;
/** Between two tries of a daemon that does not lead. */
const ASK_AGAIN_MS = 250;
/** Where the connection was lost, that of the one that led may be too: it has so long to take the lock again. */
const HEAD_START_MS = 2_000;
/** Changes are told together: a commit with a notice waits for all others of the server. */
const TELL_AFTER_MS = 100;
/** How long a daemon that hands over waits until another has the lock. */
const HANDED_OVER_WITHIN_MS = 10_000;
const LOOK_MS = 50;
/**
 * How the connection is asked whether it lives. The server gives the lock of a machine that is gone away after 25 s: from a
 * question that was answered, it counts as held for less, and the server is given up later. A shorter cut ends neither.
 */
const PACE = { beatMs: 3_000, answerWithinMs: 30_000, heldMs: 10_000 };

export interface DaemonLock {
  /** @throws UnlockedError where it was held and is not */
  require(): void;
  /** Resolves once it is held for the first time; null: it is. Rejects where it cannot be waited for any longer. */
  readonly held: Promise<void> | null;
  /** Begins to serve beside the one that leads. @param check rejects where the data no longer fits, which ends that */
  serve(check: (client: pg.ClientBase) => Promise<void>): void;
  /** Has other daemons look for what was committed here. */
  tellOthers(): void;
  /** Calls it when another has told, soon after. */
  hearOthers(listener: () => void): void;
  release(): Promise<void>;
}

/** For commands, which work beside a daemon. */
export const noDaemonLock: DaemonLock = {
  require: () => {},
  held: null,
  serve: () => {},
  tellOthers: () => {},
  hearOthers: () => {},
  release: async () => {},
};

/** A daemon that others may serve beside. */
export interface LockingBox {
  runId: RunId;
  succession: Succession;
}

/** A server may be gone without a word. The system would wait a quarter of an hour for its answer. */
export interface LockingServer {
  createClient(): pg.Client;
  /** Ends all connections to it, those of {@link createClient} too. */
  onSilent(): void;
}

/**
 * @param box left out: a lock that another holds is refused
 * @throws LockedError where another daemon works on the database
 */
export const lockDatabase = async (
  { createClient, onSilent }: LockingServer,
  onFault: (error: unknown) => void,
  box?: LockingBox,
  { beatMs, answerWithinMs, heldMs } = PACE,
): Promise<DaemonLock> => {
  /** Its connection, with the lock or without. */
  let current: pg.Client | null = null;
  let isHeld = false;
  let wasHeld = false;
  let answeredAt = 0;
  let isReleased = false;
  let isAsked = false;
  let serves: ((client: pg.ClientBase) => Promise<void>) | null = null;
  let telling: NodeJS.Timeout | undefined;
  let onChanged = (): void => {};

  /** Which one leads is known by the lock. */
  const nameBox = async (client: pg.Client): Promise<void> => {
    if (!box) return;
    await client.query("select set_config('application_name', $1, false)", [toBoxName(serves !== null)]);
    if (serves) await recordServing(client, box.runId);
  };

  /** Connects, and hears what others tell. */
  const open = async (): Promise<pg.Client> => {
    const client = createClient();
    try {
      await client.connect();
      if (!box) return client;
      await client.query(`listen ${HAND_OVER}; listen ${CHANGED}`);
      client.on('notification', ({ channel, processId }) => {
        if (channel === CHANGED && processId !== (client as unknown as { processID: number }).processID) onChanged();
        if (channel !== HAND_OVER || !isHeld) return;
        isAsked = true;
        box.succession.onHandOver();
      });
      // What was told before this connection is lost.
      onChanged();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  };

  const waitFor = <T>(answer: Promise<T>): Promise<T> => {
    const timer = setTimeout(onSilent, answerWithinMs).unref();
    return answer.finally(() => clearTimeout(timer));
  };

  /** @returns whether it is held now */
  const ask = async (client: pg.Client): Promise<boolean> => {
    const askedAt = performance.now();
    const asked = client.query<{ held: number }>('select pg_try_advisory_lock($1) as held', [DAEMON_LOCK]);
    const { rows } = await waitFor(asked);
    if (!rows[0]?.held) return false;
    current = client;
    isHeld = true;
    wasHeld = true;
    answeredAt = askedAt;
    client.once('end', () => lose(client));
    void beat(client);
    return true;
  };

  const lose = (client: pg.Client): void => {
    if (current !== client || !isHeld) return;
    isHeld = false;
    client.end().catch(() => undefined);
    void retake();
  };

  /** A connection to a machine that is gone says nothing by itself. */
  const beat = async (client: pg.Client): Promise<void> => {
    while (isHeld && current === client && !isReleased) {
      const askedAt = performance.now();
      const isAnswered = await waitFor(client.query('select 1')).then(
        () => true,
        () => false,
      );
      if (!isAnswered) {
        lose(client);
        return;
      }
      answeredAt = askedAt;
      await pause(beatMs, undefined, { ref: false });
    }
  };

  /** Tries once on a connection of its own, which ends without the lock. @throws LockedError */
  const take = async (): Promise<void> => {
    const client = await waitFor(open());
    try {
      await waitFor(nameBox(client));
      if (!(await ask(client))) throw new LockedError('Another daemon works on the database.');
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  };

  const retake = async (): Promise<void> => {
    let isTold = false;
    while (!isReleased && !isHeld) {
      try {
        await take();
      } catch (error) {
        if (error instanceof LockedError && box) {
          box.succession.onLost('Another daemon has taken over the database.');
          return;
        }
        if (!isTold) onFault(error);
        isTold = true;
        await pause(RETAKE_MS, undefined, { ref: false });
      }
    }
    if (isReleased) await current?.end();
  };

  /** Asks until the lock is held. The server may end meanwhile, and come back. */
  const askAgain = async (): Promise<void> => {
    let headStartMs = 0;
    while (!isReleased && !isHeld) {
      let client: pg.Client | null = null;
      try {
        client = await waitFor(open());
        current = client;
        // What serve() says meanwhile follows on the same connection.
        await waitFor(nameBox(client));
        await pause(headStartMs, undefined, { ref: false });
        while (!isReleased && !(await ask(client))) {
          if (serves) await waitFor(serves(client));
          await pause(ASK_AGAIN_MS);
        }
      } catch (error) {
        await client?.end().catch(() => undefined);
        if (!isLost(error)) throw error;
        headStartMs = HEAD_START_MS;
        await pause(ASK_AGAIN_MS);
      }
    }
    if (isReleased) await current?.end();
  };

  const tell = (): void => {
    telling ??= setTimeout(() => {
      telling = undefined;
      const told = current?.query(`notify ${CHANGED}`) ?? Promise.reject(new Error('There is no connection yet.'));
      // Where the connection is lost: again, until there is another.
      told.catch(() => isReleased || tell());
    }, TELL_AFTER_MS).unref();
  };

  /** Gives the lock away, and waits until another has it: this daemon's next start would take it again else. */
  const giveAway = async (client: pg.Client): Promise<void> => {
    await client.query('select pg_advisory_unlock($1)', [DAEMON_LOCK]);
    const end = performance.now() + HANDED_OVER_WITHIN_MS;
    const isTaken = async () => (await client.query(`select from pg_locks l where ${IS_DAEMON_LOCK}`)).rows.length > 0;
    while (!(await isTaken()) && performance.now() < end) await pause(LOOK_MS);
  };

  let held: Promise<void> | null = null;
  try {
    await take();
  } catch (error) {
    if (!box || !(error instanceof LockedError)) throw error;
    held = askAgain();
    // Who waits for it is told; a daemon that ends first does not wait.
    held.catch(() => undefined);
  }
  return {
    held,
    require: () => {
      if (!wasHeld || (isHeld && performance.now() - answeredAt < heldMs)) return;
      throw new UnlockedError('The lock of the database is being taken again.');
    },
    serve: (check) => {
      serves = check;
      if (current) nameBox(current).catch(() => undefined);
    },
    tellOthers: () => {
      if (box) tell();
    },
    hearOthers: (listener) => {
      onChanged = listener;
    },
    release: async () => {
      isReleased = true;
      clearTimeout(telling);
      if (isAsked && isHeld && current) await giveAway(current).catch(() => undefined);
      await current?.end();
    },
  };
};
