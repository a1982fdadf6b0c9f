/** A reading connection in a thread of its own, started with the first query, as a Kysely dialect. */

import {
  type CompiledQuery,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { Piscina } from 'piscina';
import { ApiError } from '../../kernel/errors.ts';

/** A query that runs longer is given up, its thread with it: nobody waits that long for a search. */
const QUERY_TIME_OUT_MS = 20_000;
/** Queries that may wait for the thread; one more is refused. */
const MAX_WAITING = 100;

export interface ReaderThread {
  readonly dialect: Dialect;
}

export interface ThreadQuery {
  sql: string;
  parameters: readonly unknown[];
}

/** Given up for its time, or not even begun because too many wait. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || error.message === 'Task queue is at limit');

export const createReaderThread = (path: string): ReaderThread => {
  let pool: Piscina<ThreadQuery, unknown[]> | null = null;
  const start = () =>
    new Piscina<ThreadQuery, unknown[]>({
      filename: new URL('./reader-thread.worker.ts', import.meta.url).href,
      workerData: { path },
      minThreads: 0,
      maxThreads: 1,
      maxQueue: MAX_WAITING,
      idleTimeout: 60_000,
    });
  const connection = {
    executeQuery: async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
      pool ??= start();
      try {
        const rows = await pool.run({ sql, parameters }, { signal: AbortSignal.timeout(QUERY_TIME_OUT_MS) });
        return { rows: rows as R[] };
      } catch (error) {
        if (!isRefusal(error)) throw error;
        throw new ApiError('overloaded', { hint: 'The search took too long. Ask for less, or again later.' });
      }
    },
    streamQuery: () => {
      throw new Error('Rows are not streamed: every query of the store is bounded.');
    },
  };
  const readOnly = async () => {
    throw new Error('This connection only reads.');
  };
  return {
    dialect: {
      createDriver: () => ({
        init: async () => {},
        acquireConnection: async () => connection,
        releaseConnection: async () => {},
        beginTransaction: readOnly,
        commitTransaction: readOnly,
        rollbackTransaction: readOnly,
        destroy: async () => {
          await pool?.destroy();
        },
      }),
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  };
};
