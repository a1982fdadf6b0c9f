/** What each connection of an engine brings, beside the query builder. */

import type { CompiledQuery, QueryResult } from 'kysely';
import type { WordIndex } from './search/word-index.ts';
import type { Db } from './store.ts';

export interface Engine {
  /** Runs a prepared statement: the builder's executor costs as much as a look-up by key. */
  run(query: CompiledQuery, parameters: unknown[]): QueryResult<unknown> | Promise<QueryResult<unknown>>;
  /**
   * The same of one that its unit of work does not wait for: the unit fails where it does.
   * @returns its rows, once the transaction is committed
   */
  post(query: CompiledQuery, parameters: unknown[]): () => readonly unknown[];
  readonly wordIndex: WordIndex;
  /** The number of a table's next row; null: the engine gives it as the row is inserted. */
  readonly nextNumber: ((table: string, column: string) => Promise<number>) | null;
}

const engines = new WeakMap<Db, Engine>();

export const setEngine = (db: Db, engine: Engine): void => {
  engines.set(db, engine);
};

export const engineOf = (db: Db): Engine => {
  const engine = engines.get(db);
  if (!engine) throw new Error('The connection has no engine.');
  return engine;
};
