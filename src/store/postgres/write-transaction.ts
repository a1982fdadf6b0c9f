/**
 * The transaction of the one connection that writes. Statements are sent without waiting for the answers of those before
 * them, so that one waits for its own result alone. A lock makes it the only one of the database that writes, as a file
 * has it: no two transactions ever disagree.
 */

import type pg from 'pg';
import type { GroupTransaction } from '../group-commit.ts';
import type { OpenOptions } from '../store.ts';
import { hasCode, openDb, toStoreError } from './connections.ts';
import type { DaemonLock } from './daemon-lock.ts';
import { createPatience, isLost, whileLost } from './lost-connections.ts';

/** Of commands beside the daemon too. `pg_locks.objid`. */
const WRITER_LOCK = 3_573;
/**
 * A process that is frozen keeps others from writing for so long. With the transaction's number, by which the server knows
 * later whether it was committed.
 */
const BEGIN = `begin isolation level read committed; set local idle_in_transaction_session_timeout = '10s';
  select pg_advisory_xact_lock(${WRITER_LOCK}); select pg_current_xact_id()::text as id`;
const FIND_OUTCOME = 'select pg_xact_status($1::text::xid8) as outcome';
/** lock_not_available: another process has not ended its transaction. */
const LOCKED = new Set(['55P03']);

/** @param mayQuery false: a query is made outside of its unit of work, and throws */
export const createWriteTransaction = (
  { writers, readers }: { writers: pg.Pool; readers: pg.Pool },
  lock: DaemonLock,
  mayQuery: () => boolean,
  onQuery: OpenOptions['onQuery'],
) => {
  let client: pg.PoolClient | null = null;
  let id: Promise<string> = Promise.resolve('');
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

  const release = (broken?: Error): void => {
    client?.release(broken);
    client = null;
  };

  /** Of a commit that was not answered. */
  const isCommitted = async (transaction: string, error: unknown): Promise<boolean> => {
    for (const waitFor = createPatience(); ; await waitFor(error)) {
      const { rows } = await whileLost(() => readers.query<{ outcome: string }>(FIND_OUTCOME, [transaction]));
      if (rows[0]?.outcome !== 'in progress') return rows[0]?.outcome === 'committed';
    }
  };

  const transaction: GroupTransaction = {
    begin: async () => {
      lock.require();
      client = await writers.connect();
      fault = null;
      id = send(BEGIN).then(
        (results) => (results as unknown as pg.QueryResult<{ id: string }>[])[3]?.rows[0]?.id ?? '',
      );
      id.catch(() => undefined);
    },
    commit: async () => {
      // Its number is known before its end is asked for.
      const known = await id;
      lock.require();
      try {
        const { command } = await send('commit');
        // The server answers ROLLBACK to the commit of a transaction in which a statement failed.
        if (command !== 'COMMIT') throw fault ?? new Error('A failed transaction was to be committed.');
      } catch (error) {
        if (!isLost(error) || !(await isCommitted(known, error))) throw error;
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
      if (!isLost(error) && !hasCode(error, LOCKED)) return false;
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
  );
  return { transaction, db };
};
