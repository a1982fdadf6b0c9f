/** Connections to a database, and the query builder on them. */

import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import {
  type Dialect,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  replaceWithNoncontingentExpression,
} from 'kysely';
import pg from 'pg';
import { codeOf } from '../../kernel/text/message-of.ts';
import { type Engine, setEngine } from '../engine.ts';
import { createDriver } from '../query-driver.ts';
import type { Schema } from '../schema.ts';
import type { Db, OpenOptions } from '../store.ts';
import { UnwritableError } from '../store-errors.ts';
import { toText } from '../values.ts';
import { createWordIndex } from './search/word-index.ts';

const { builtins } = pg.types;

/** Numbers as SQLite gives them: counts and sums come as text otherwise, conditions as booleans. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [builtins.INT8]: Number,
  [builtins.NUMERIC]: Number,
  [builtins.BOOL]: (text) => (text === 't' ? 1 : 0),
};
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    PARSERS[oid] ?? pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

const CONNECT_TIMEOUT_MS = 10_000;
/**
 * A statement that waits for a lock fails after it, and its unit of work runs again. Within 25 s the server finds out that the
 * machine is gone: what a transaction or a session of it has locked is free then. Queries have their indexes; to read a whole
 * table of words looks cheap to the planner, and is not; where there is no index, it looks so dear that the server would
 * compile the query, which takes 50 ms (JIT). lz4 packs large values in a third of the time, where the server has it. The
 * isolation is set because a role may have a stricter one: two statements on the same row would fail.
 */
const SETTINGS = `set default_transaction_isolation = 'read committed'; set enable_seqscan = off; set jit = off; set lock_timeout = '30s'; set statement_timeout = '120s'; set tcp_user_timeout = '25s';
  set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
  select set_config(name, 'lz4', false) from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals);
  select pg_is_in_recovery() as standby`;
/** A standby counts as a server that starts: in a failover the address may lead to it for a moment. */
const STANDBY = { code: '57P03' };

/** Sends together what one turn of the loop writes: each system call wakes the server. */
class GatheringSocket extends Socket {
  override uncork(): void {
    process.nextTick(() => super.uncork());
  }
}

/** Of open connections: those to a server that is gone end by {@link cut}. */
export type Sockets = Set<Socket>;

/** What waits for an answer fails as with any lost connection, and may run again. */
export const cut = (sockets: Sockets): void => {
  for (const socket of sockets) socket.destroy();
};

interface ConnectionOptions {
  sockets?: Sockets;
  /** Ends a connection on which nothing goes or comes for so long; left out: none. */
  silentMs?: number;
}

/** Longer than a statement may take: its server is gone. */
export const LONGEST_SILENCE_MS = 130_000;

/**
 * Its time to connect is bounded: the pool's own bound would count the wait for a connection that others use. Its settings are
 * a statement, because PgBouncer refuses them as parameters of a connection. The server may close it at any time, also before the
 * pool listens: its queries fail then, and run again.
 */
class BoundedClient extends pg.Client {
  readonly #socket: Socket;

  constructor(config?: string | (pg.ClientConfig & ConnectionOptions)) {
    const { sockets, silentMs = 0, ...given } = config as Exclude<typeof config, string | undefined>;
    const socket = new GatheringSocket();
    super({
      ...given,
      application_name: 'postroom',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      stream: () => {
        sockets?.add(socket);
        socket.setTimeout(silentMs, () => socket.destroy());
        return socket.once('close', () => sockets?.delete(socket));
      },
    });
    this.#socket = socket;
    this.on('error', () => {});
  }

  /** Also statements without values are gathered, which the library writes at once. */
  override query = ((...given: [string]) => {
    this.#socket.cork();
    try {
      return super.query(...given);
    } finally {
      this.#socket.uncork();
    }
  }) as pg.Client['query'];

  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | undefined {
    const ready = super.connect().then(async () => {
      const results = (await this.query(SETTINGS)) as unknown as pg.QueryResult<{ standby: unknown }>[];
      // No connection becomes one to a standby: a server that turns into one ends what is open.
      if (results.at(-1)?.rows[0]?.standby) {
        await this.end();
        throw Object.assign(new Error('It is a standby, which takes no writes.'), STANDBY);
      }
      return this;
    });
    if (!callback) return ready;
    ready.then(() => callback(null as never), callback);
    return undefined;
  }
}

interface PoolOptions extends ConnectionOptions {
  /** Each statement is sent at once, also while others are not answered. */
  pipeline?: boolean;
}

/** @param most connections at once */
export const createPool = (connectionString: string, most: number, options: PoolOptions = {}): pg.Pool => {
  const pool = new pg.Pool({
    Client: BoundedClient,
    connectionString,
    types,
    max: most,
    ...options,
    allowExitOnIdle: true,
  });
  pool.on('error', () => {});
  return pool;
};

export const createClient = (connectionString: string, options: ConnectionOptions = {}): pg.Client =>
  new BoundedClient({ connectionString, types, ...options });

/** PostgreSQL's appendix A: the disk is full, an I/O error, a standby, a statement that took too long. */
const UNWRITABLE = new Set(['53100', '58030', '25006', '57014']);

const hasCode = (error: unknown, codes: ReadonlySet<string>): boolean => codes.has(codeOf(error) ?? '');

export const toStoreError = (error: unknown): unknown =>
  hasCode(error, UNWRITABLE) ? new UnwritableError(String(error), { cause: error }) : error;

export interface Queryable {
  query(query: { name?: string; text: string; values: unknown[] }): Promise<pg.QueryResult>;
}

/** A prepared statement's name on the server: by its text. */
const names = new Map<string, string>();
const nameOf = (text: string): string => {
  const known = names.get(text) ?? createHash('sha1').update(text).digest('hex');
  names.set(text, known);
  return known;
};

/** PostgreSQL takes no U+0000 in text, also where it compares alone. */
const toStorable = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (typeof value === 'string' ? toText(value) : value));

const execute = async <R>(
  queryable: Queryable,
  query: { name?: string; text: string; values: unknown[] },
): Promise<QueryResult<R>> => {
  try {
    const { rows, rowCount, command } = await queryable.query(query);
    return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  } catch (error) {
    throw toStoreError(error);
  }
};

/** The query builder on a connection or a pool. */
export const openDb = (
  queryable: Queryable,
  onQuery?: OpenOptions['onQuery'],
  nextNumber: Engine['nextNumber'] = null,
): Db => {
  const driver = createDriver((query) => {
    onQuery?.(query);
    return execute(queryable, { text: query.sql, values: toStorable(query.parameters) });
  });
  const dialect: Dialect = {
    createDriver: () => driver,
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
  // `in ()` is no SQL here; of SQLite it is, and never holds.
  const plugins = [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })];
  const db = new Kysely<Schema>({ dialect, plugins });
  setEngine(db, {
    run: (query, parameters) => {
      onQuery?.({ ...query, parameters });
      return execute(queryable, { name: nameOf(query.sql), text: query.sql, values: toStorable(parameters) });
    },
    post: (query, parameters) => {
      onQuery?.({ ...query, parameters });
      let rows: readonly unknown[] = [];
      queryable.query({ name: nameOf(query.sql), text: query.sql, values: toStorable(parameters) }).then(
        (result) => {
          rows = result.rows;
        },
        () => undefined,
      );
      return () => rows;
    },
    wordIndex: createWordIndex(db),
    nextNumber,
  });
  return db;
};
