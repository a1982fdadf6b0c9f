/** The writing connection's transaction. */

import type { GroupTransaction } from '../group-commit.ts';
import type { Connection } from './open-database.ts';
import { toStoreError } from './unwritable.ts';

/** Savepoints are for tests alone: at each, the full-text index would write out its pending terms. */
export const createTransaction = (connection: Connection): GroupTransaction => {
  const statement = (sql: string) => connection.prepare(sql);
  const begin = statement('begin immediate');
  const commit = statement('commit');
  const rollback = statement('rollback');
  return {
    begin: () => void begin.run(),
    commit: () => void commit.run(),
    rollback: () => {
      // A full disk or an I/O error has ended it by itself.
      if (connection.inTransaction) rollback.run();
    },
    mark: () => void connection.exec('savepoint first_run'),
    takeBack: () => void connection.exec('rollback to first_run; release first_run'),
    recover: () => false,
    toStoreError,
  };
};
