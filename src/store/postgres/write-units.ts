/**
 * Units of work, each a SERIALIZABLE transaction. A unit runs again where the server refuses it because of others, or where
 * another unit holds a lock that it asks for. Its locks are then taken before it begins; at last it runs while no other
 * unit of this process does.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Db, OpenOptions } from '../store.ts';
import { UnwritableError } from '../store-errors.ts';
import { hasCode, openDb, type Queryable } from './connections.ts';
import type { DaemonLock } from './daemon-lock.ts';
import { createPatience, isLost, whileLost } from './lost-connections.ts';

/** serialization_failure, deadlock_detected, unique_violation (of two transactions), lock_not_available. */
const REPEATABLE = new Set(['40001', '40P01', '23505', '55P03']);
const DOUBLED = new Set(['23505']);
/** Runs of a unit; from {@link ALONE_FROM} on no other of this process runs, and those after are for other processes'. */
const MOST_RUNS = 24;
const ALONE_FROM = 4;
/** Between two runs, of a random part: doubled with each. */
const PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 300;

const BEGIN = 'begin isolation level serializable';
/** A part of each transaction that writes. A server that has crashed or was replaced gives a transaction's number again. */
const noteUnit = (connection: string, unit: number): string => `insert into commits (connection, unit)
  values ('${connection}', ${unit}) on conflict (connection) do update set unit = excluded.unit, at = now()`;
/** Waits for a transaction that is still being committed. One that has begun before it and notes its unit later fails. */
const FIND_LAST_UNIT = `insert into commits as c (connection, unit) values ($1, 0)
  on conflict (connection) do update set at = now() returning c.unit`;
const LOCK_BEFORE = 'select pg_advisory_lock(hashtextextended($1, 0))';
const TRY_BEFORE = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as held';
const TRY_WITHIN = 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as held';
const UNLOCK = 'select pg_advisory_unlock_all()';

export interface Unit {
  readonly db: Db;
  afterCommit(effect: () => void): void;
  lock(name: string): Promise<void>;
}

/** A lock that another transaction holds was asked for while waiting for it could be a deadlock, or in vain. */
class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** A connection of the pool and its query builder, which live as long as one another. */
class WritingConnection implements Queryable {
  readonly db: Db;
  readonly name = randomUUID();
  /** How many it has run. */
  units = 0;
  readonly #client: pg.PoolClient;
  #state: 'idle' | 'ready' | 'begun' = 'idle';
  #writes = false;
  #locksBefore = false;
  readonly #held = new Set<string>();

  constructor(client: pg.PoolClient, onQuery: OpenOptions['onQuery']) {
    this.#client = client;
    this.db = openDb(this, onQuery);
  }

  query(query: { name?: string; text: string; values: unknown[] }): Promise<pg.QueryResult> {
    if (this.#state === 'idle') {
      return Promise.reject(new Error(`A query outside of its transaction: ${query.text.slice(0, 80)}`));
    }
    this.#writes ||= !query.text.startsWith('select');
    if (this.#state === 'begun') return this.#client.query(query);
    this.#state = 'begun';
    // Begun with the first query: what is locked before it is read as it is after the wait.
    const begun = this.#client.query(BEGIN);
    const result = this.#client.query(query);
    result.catch(() => undefined);
    return begun.then(() => result);
  }

  start(): void {
    this.units += 1;
    this.#state = 'ready';
    this.#writes = false;
  }

  /**
   * Waits only before the transaction, and for locks in the order of their names: no two units wait for one another.
   * @throws BusyError where the lock is held and that order is over; the unit then begins with it
   */
  async lock(name: string): Promise<void> {
    if (this.#held.has(name)) return;
    const isReady = this.#state === 'ready';
    const mayWait = isReady && [...this.#held].every((each) => each < name);
    if (isReady) this.#locksBefore = true;
    const trying = isReady ? TRY_BEFORE : TRY_WITHIN;
    const { rows } = await this.#client.query<{ held: number }>(mayWait ? LOCK_BEFORE : trying, [name]);
    if (!mayWait && !rows[0]?.held) throw new BusyError(`The lock ${name} is held.`);
    this.#held.add(name);
  }

  async end(act: 'commit' | 'rollback'): Promise<void> {
    const ends = [
      ...(act === 'commit' && this.#writes ? [noteUnit(this.name, this.units)] : []),
      ...(this.#state === 'begun' ? [act] : []),
      ...(this.#locksBefore ? [UNLOCK] : []),
    ];
    this.#state = 'idle';
    // A commit that fails leaves the locks to the rollback that follows.
    if (ends.length > 0) await this.#client.query(ends.join('; '));
    this.#locksBefore = false;
    this.#held.clear();
  }
}

/** Units run beside one another, or one runs alone. */
const createTurns = () => {
  let running = 0;
  let alone: Promise<void> | null = null;
  let onIdle = () => {};
  return async <T>(isAlone: boolean, run: () => Promise<T>): Promise<T> => {
    while (alone) await alone;
    let end = () => {};
    if (isAlone) {
      alone = new Promise((resolve) => {
        end = resolve;
      });
      if (running > 0) {
        await new Promise<void>((resolve) => {
          onIdle = resolve;
        });
      }
    }
    running += 1;
    try {
      return await run();
    } finally {
      running -= 1;
      if (running === 0) onIdle();
      if (isAlone) {
        alone = null;
        end();
      }
    }
  };
};

export const createWriteUnits = (
  { writers, readers }: { writers: pg.Pool; readers: pg.Pool },
  lock: DaemonLock,
  { onQuery, repeatEvery }: Pick<OpenOptions, 'onQuery' | 'repeatEvery'>,
) => {
  const connections = new WeakMap<pg.PoolClient, WritingConnection>();
  const inTurn = createTurns();
  let units = 0;

  const connectionOf = (client: pg.PoolClient): WritingConnection => {
    const known = connections.get(client) ?? new WritingConnection(client, onQuery);
    connections.set(client, known);
    return known;
  };

  /** Commits; where the connection ends meanwhile, asks on another one what became of it. */
  const commit = async (connection: WritingConnection): Promise<void> => {
    try {
      await connection.end('commit');
    } catch (error) {
      if (!isLost(error)) throw error;
      const { rows } = await whileLost(() => readers.query<{ unit: number }>(FIND_LAST_UNIT, [connection.name]));
      if (rows[0]?.unit !== connection.units) throw error;
    }
  };

  /** @param names of locks that an earlier run asked for; those of this run are added */
  const runOnce = async <T>(work: (unit: Unit) => Promise<T>, names: Set<string>, isKept: boolean): Promise<T> => {
    lock.require();
    const client = await writers.connect();
    const connection = connectionOf(client);
    const effects: (() => void)[] = [];
    let broken: Error | undefined;
    try {
      connection.start();
      for (const name of [...names].sort()) await connection.lock(name);
      const value = await work({
        db: connection.db,
        afterCommit: (effect) => effects.push(effect),
        lock: async (name) => {
          names.add(name);
          await connection.lock(name);
        },
      });
      await (isKept ? commit(connection) : connection.end('rollback'));
      if (isKept) for (const effect of effects) effect();
      return value;
    } catch (error) {
      await connection.end('rollback').catch((fault: Error) => {
        broken = fault;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  };

  return async <T>(work: (unit: Unit) => Promise<T>): Promise<T> => {
    const names = new Set<string>();
    units += 1;
    const isRepeated = repeatEvery !== undefined && units % repeatEvery === 0;
    const wait = createPatience();
    for (let run = 1; ; ) {
      try {
        return await inTurn(run >= ALONE_FROM, async () => {
          if (isRepeated) await runOnce(work, names, false);
          return runOnce(work, names, true);
        });
      } catch (error) {
        if (error instanceof BusyError) continue;
        if (isLost(error)) {
          await wait(error);
          continue;
        }
        if (!hasCode(error, REPEATABLE)) throw error;
        if (run === MOST_RUNS)
          throw hasCode(error, DOUBLED) ? error : new UnwritableError(String(error), { cause: error });
        run += 1;
        await pause(Math.random() * Math.min(PAUSE_MS * 2 ** run, LONGEST_PAUSE_MS));
      }
    }
  };
};
