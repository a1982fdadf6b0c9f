/**
 * Units of work, each a SERIALIZABLE transaction. One that the server refuses because of others runs again: first with
 * the locks that it asked for held before it begins, at last while no other unit of this process runs.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Db, OpenOptions } from '../store.ts';
import { hasCode, openDb, type Queryable } from './connections.ts';

/** serialization_failure, deadlock_detected, unique_violation (of two transactions), lock_not_available. */
const REPEATABLE = new Set(['40001', '40P01', '23505', '55P03']);
/** Runs of a unit; from {@link ALONE_FROM} on no other of this process runs, and those after are for other processes'. */
const MOST_RUNS = 24;
const ALONE_FROM = 4;
/** Between two runs, of a random part: doubled with each. */
const PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 300;

const BEGIN = 'begin isolation level serializable';
const LOCK_BEFORE = 'select pg_advisory_lock(hashtextextended($1, 0))';
const LOCK_WITHIN = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
const UNLOCK = 'select pg_advisory_unlock_all()';

export interface Unit {
  readonly db: Db;
  afterCommit(effect: () => void): void;
  lock(name: string): Promise<void>;
}

/** A connection of the pool and its query builder, which live as long as one another. */
class WritingConnection implements Queryable {
  readonly db: Db;
  readonly #client: pg.PoolClient;
  #state: 'idle' | 'ready' | 'begun' = 'idle';
  #locksBefore = false;

  constructor(client: pg.PoolClient, onQuery: OpenOptions['onQuery']) {
    this.#client = client;
    this.db = openDb(this, onQuery);
  }

  query(query: { name?: string; text: string; values: unknown[] }): Promise<pg.QueryResult> {
    if (this.#state === 'idle') {
      return Promise.reject(new Error(`A query outside of its transaction: ${query.text.slice(0, 80)}`));
    }
    if (this.#state === 'begun') return this.#client.query(query);
    this.#state = 'begun';
    // Begun with the first query: what is locked before it is read as it is after the wait.
    const begun = this.#client.query(BEGIN);
    const result = this.#client.query(query);
    result.catch(() => undefined);
    return begun.then(() => result);
  }

  start(): void {
    this.#state = 'ready';
  }

  async lock(name: string): Promise<void> {
    if (this.#state === 'ready') this.#locksBefore = true;
    await this.#client.query(this.#state === 'ready' ? LOCK_BEFORE : LOCK_WITHIN, [name]);
  }

  async end(act: 'commit' | 'rollback'): Promise<void> {
    const ends = [...(this.#state === 'begun' ? [act] : []), ...(this.#locksBefore ? [UNLOCK] : [])];
    this.#state = 'idle';
    if (ends.length > 0) await this.#client.query(ends.join('; '));
    this.#locksBefore = false;
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
  pool: pg.Pool,
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

  /** @param names of locks that an earlier run asked for; those of this run are added */
  const runOnce = async <T>(work: (unit: Unit) => Promise<T>, names: Set<string>, isKept: boolean): Promise<T> => {
    const client = await pool.connect();
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
      await connection.end(isKept ? 'commit' : 'rollback');
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
    for (let run = 1; ; run += 1) {
      try {
        return await inTurn(run >= ALONE_FROM, async () => {
          if (isRepeated) await runOnce(work, names, false);
          return runOnce(work, names, true);
        });
      } catch (error) {
        if (run === MOST_RUNS || !hasCode(error, REPEATABLE)) throw error;
        await pause(Math.random() * Math.min(PAUSE_MS * 2 ** run, LONGEST_PAUSE_MS));
      }
    }
  };
};
