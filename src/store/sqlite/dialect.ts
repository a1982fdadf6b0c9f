/**
 * Kysely over one SQLite connection, with its statements prepared once. The connection is not pooled: who may use it,
 * and when, is the writer's and the reader's business (group-commit.ts, store.ts).
 */

import type { Statement } from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Connection } from './open-database.ts';

/** Statements kept prepared. The code has fewer; a filter's combinations may add some. */
const MAX_PREPARED = 500;

class SqliteConnection implements DatabaseConnection {
  readonly #connection: Connection;
  readonly #mayQuery: () => boolean;
  readonly #prepared = new Map<string, Statement<unknown[]>>();

  constructor(connection: Connection, mayQuery: () => boolean) {
    this.#connection = connection;
    this.#mayQuery = mayQuery;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.#mayQuery()) throw new Error(`A query outside of its transaction: ${sql.slice(0, 80)}`);
    const statement = this.#prepare(sql);
    if (statement.reader) return { rows: statement.all(...parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  streamQuery(): never {
    throw new Error('Rows are not streamed: every query of the store is bounded.');
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
 * Says of each value what it is. SQLite looks at what is bound to a bare `= ?` or `limit ?` and prepares the statement
 * again whenever that changes, which for a look-up by key costs ten times the look-up.
 */
class TypedQueryCompiler extends SqliteQueryCompiler {
  protected override appendValue(value: unknown): void {
    const type = typeOf(value);
    if (type) this.append('cast(');
    super.appendValue(value);
    if (type) this.append(` as ${type})`);
  }
}

const typeOf = (value: unknown): string | null => {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'real';
  return value instanceof Uint8Array ? 'blob' : null;
};

/** @param mayQuery asked before every query; false makes it throw */
export const sqliteDialect = (connection: Connection, mayQuery: () => boolean = () => true): Dialect => {
  const single = new SqliteConnection(connection, mayQuery);
  const noTransactions = async () => {
    throw new Error('Transactions go through Store.write.');
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => single,
    releaseConnection: async () => {},
    beginTransaction: noTransactions,
    commitTransaction: noTransactions,
    rollbackTransaction: noTransactions,
    destroy: async () => {
      connection.close();
    },
  };
  return {
    createDriver: () => driver,
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new TypedQueryCompiler(),
  };
};
