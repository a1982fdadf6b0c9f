/**
 * Kysely over one SQLite connection, with its statements prepared once. The connection is not pooled: group-commit.ts
 * decides when the writer's may be used; the reader's always may.
 */

import type { Statement } from 'better-sqlite3';
import {
  type CompiledQuery,
  type Dialect,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { setEngine } from '../engine.ts';
import { PreparedValue } from '../prepared-statement.ts';
import { createDriver } from '../query-driver.ts';
import type { Schema } from '../schema.ts';
import type { Db, OpenOptions } from '../store.ts';
import type { Connection } from './open-database.ts';
import { toStoreError } from './unwritable.ts';
import { createWordIndex } from './word-index.ts';

/** Prepared statements in the cache. The code has fewer; a filter's combinations may add some. */
const MAX_PREPARED = 500;

class SqliteConnection {
  readonly #connection: Connection;
  readonly #options: DialectOptions;
  readonly #prepared = new Map<string, Statement<unknown[]>>();

  constructor(connection: Connection, options: DialectOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  run<R>(query: CompiledQuery, parameters: readonly unknown[]): QueryResult<R> {
    const { sql } = query;
    const { mayQuery, onQuery } = this.#options;
    if (mayQuery && !mayQuery()) throw new Error(`A query outside of its transaction: ${sql.slice(0, 80)}`);
    onQuery?.(query.parameters === parameters ? query : { ...query, parameters });
    try {
      const statement = this.#prepare(sql);
      if (statement.reader) return { rows: statement.all(...parameters) as R[] };
      const { changes } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes) };
    } catch (error) {
      throw toStoreError(error);
    }
  }

  #prepare(sql: string): Statement<unknown[]> {
    const known = this.#prepared.get(sql);
    if (known) return known;
    if (this.#prepared.size >= MAX_PREPARED) this.#prepared.clear();
    const statement = this.#connection.prepare<unknown[]>(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

/**
 * Casts each value to its type. For a bare `= ?` or `limit ?` SQLite prepares the statement again whenever the bound
 * type changes, which costs six times a look-up by key.
 */
class TypedQueryCompiler extends SqliteQueryCompiler {
  protected override appendValue(value: unknown): void {
    const type = toColumnType(value);
    if (type) this.append('cast(');
    super.appendValue(value);
    if (type) this.append(` as ${type})`);
  }
}

const toColumnType = (value: unknown): string | null => {
  if (value instanceof PreparedValue) return toColumnType(value.sample);
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'real';
  return value instanceof Uint8Array ? 'blob' : null;
};

export interface DialectOptions {
  /** Called before every query; false makes it throw. */
  mayQuery?: (() => boolean) | undefined;
  onQuery?: OpenOptions['onQuery'] | undefined;
}

/** The query builder on one connection, which the caller closes: Kysely does not where it ran no query itself. */
export const openDb = (connection: Connection, options: DialectOptions): Db => {
  const single = new SqliteConnection(connection, options);
  const dialect: Dialect = {
    createDriver: () => createDriver(async (query) => single.run(query, query.parameters)),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new TypedQueryCompiler(),
  };
  const db = new Kysely<Schema>({ dialect });
  setEngine(db, {
    run: (query, parameters) => single.run(query, parameters),
    post: (query, parameters) => {
      const { rows } = single.run(query, parameters);
      return () => rows;
    },
    wordIndex: createWordIndex(db),
    nextNumber: null,
  });
  return db;
};
