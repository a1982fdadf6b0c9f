/**
 * The transaction of the one connection that writes. Statements are sent without waiting for the answers of those before
 * them, so that one waits for its own result alone. A lock makes it the only one of the database that writes, as a file
 * has it: no two transactions ever disagree.
 */

import type pg from 'pg';
import type { RunId } from '../../kernel/ids.ts';
import type { GroupTransaction } from '../group-commit.ts';
import type { OpenOptions } from '../store.ts';
import { UnwritableError } from '../store-errors.ts';
import { openDb, toStoreError } from './connections.ts';
import type { DaemonLock } from './daemon-lock.ts';
import { createPatience, isLost, isPassing, whileLost } from './lost-connections.ts';
import { createRowNumbers } from './row-numbers.ts';

/** Of commands beside the daemon too. `pg_locks.objid`. */
const WRITER_LOCK = 3_573;
const TAKE_LOCK = `select pg_advisory_xact_lock(${WRITER_LOCK})`;
/** A process that is frozen keeps others from writing for so long. */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = '10s'; ${TAKE_LOCK}`;
/**
 * The last part of each transaction, by which it is known later. Its number of the server's own is given again by a server
 * that has crashed, or was replaced.
 */
const toCommit = (writer: string, count: number): string => `insert into commits (writer, count)
  values ('${writer}', ${count}) on conflict (writer) do update set count = excluded.count, at = now(); commit`;
/** Once a transaction that may still be committed has ended. It writes, to wait for synchronous standbys as that one did. */
const toFindLast = (writer: string): string =>
  `${TAKE_LOCK}; update commits set at = now() where writer = '${writer}' returning count`;

/** The group may be there: none of its units runs again. */
class UnknownCommitError extends UnwritableError {}

/** @param mayQuery false: a query is made outside of its unit of work, and throws */
export const createWriteTransaction = (
  { writers, readers }: { writers: pg.Pool; readers: pg.Pool },
  lock: DaemonLock,
  mayQuery: () => boolean,
  { runId: writer, onQuery }: { runId: RunId } & Pick<OpenOptions, 'onQuery'>,
) => {
  let client: pg.PoolClient | null = null;
  let begun: Promise<unknown> = Promise.resolve();
  let count = 0;
  /** Of the first statement that failed: those behind it are refused because of it. */
  let fault: unknown = null;
  let wait = createPatience();

  const send = async (query: string | { name?: string; text: string; values: unknown[] }): Promise<pg.QueryResult> => {
    try {
      if (!client) throw new Error('No transaction has begun.');
      return await client.query(query as pg.QueryConfig);
    } catch (error) {
      fault ??= error;
      throw fault;
    }
  };
  const post = (text: string): void => {
    send(text).catch(() => undefined);
  };

  const numbers = createRowNumbers(send);

  const release = (broken?: Error): void => {
    client?.release(broken);
    client = null;
  };

  /** Of a commit that was not answered. @throws UnknownCommitError */
  const isCommitted = async (): Promise<boolean> => {
    const answers = await whileLost(() => readers.query(toFindLast(writer))).catch((cause) => {
      throw new UnknownCommitError('Whether a commit was made is not known.', { cause });
    });
    const [, { rows } = { rows: [] }] = answers as unknown as pg.QueryResult<{ count: number }>[];
    return rows[0]?.count === count;
  };

  const transaction: GroupTransaction = {
    begin: async () => {
      lock.require();
      client = await writers.connect();
      fault = null;
      count += 1;
      begun = send(BEGIN);
      begun.catch(() => undefined);
      numbers.begin();
    },
    commit: async () => {
      // It has the lock before its end is asked for: who looks for its row waits for it.
      await begun;
      lock.require();
      numbers.keep();
      try {
        await send(toCommit(writer, count));
      } catch (error) {
        if (!isLost(error) || !(await isCommitted())) throw error;
        release(error as Error);
      }
      release();
      wait = createPatience();
    },
    rollback: async () => {
      await client?.query('rollback').then(() => release(), release);
    },
    mark: () => post('savepoint first_run'),
    takeBack: () => post('rollback to first_run; release first_run'),
    recover: async (error) => {
      if (error instanceof UnknownCommitError) throw error;
      if (!isPassing(error)) return false;
      await wait(error);
      return true;
    },
    toStoreError,
  };
  const db = openDb(
    {
      query: async (query) => {
        if (!mayQuery()) throw new Error(`A query outside of its transaction: ${query.text.slice(0, 80)}`);
        return send(query);
      },
    },
    onQuery,
    numbers.next,
  );
  return { transaction, db };
};
