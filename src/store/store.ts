/** The data file, open: one writer, readers of their own. */

import { Kysely } from 'kysely';
import type { Millis } from '../kernel/clock.ts';
import type { Transaction } from '../kernel/operation.ts';
import type { Schema } from './schema.ts';
import { sqliteDialect } from './sqlite/dialect.ts';
import { createGroupCommit } from './sqlite/group-commit.ts';
import { migrate } from './sqlite/migrate.ts';
import { openConnection } from './sqlite/open-database.ts';
import { createSearchThreads, type SearchThreads } from './sqlite/search-threads.ts';

/** What a reading function takes: the store's reader, or a transaction's `db` where it must see its own writes. */
export type Db = Kysely<Schema>;

/** A transaction under way. What writes takes one of these, so that nothing can be written outside of one. */
export interface Tx extends Transaction {
  readonly db: Db;
}

export interface Store {
  /** Short reads, each one index walk. Sees every commit whose promise has resolved. */
  readonly read: Db;
  /** Full-text searches, which may take long, run in threads of their own. */
  readonly searchThreads: Pick<SearchThreads, 'run'>;
  /**
   * Runs `work` in a transaction that may be shared (sqlite/group-commit.ts). Resolves after the commit is on disk.
   * `work` awaits queries and nothing else, and may run twice: what it does beside them belongs into `afterCommit`.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Has commits wait a few ms while `isMoreComing`, so that what is about to be written shares them. */
  gatherWhile(isMoreComing: () => boolean): void;
  close(): Promise<void>;
}

/** Opens the data file, making it where there is none, and brings it to the current schema. */
export const openStore = (path: string, now: Millis): Store => {
  const connection = openConnection(path, 'write');
  migrate(connection, now);
  let isMoreComing = () => false;
  const group = createGroupCommit(connection, () => isMoreComing());
  const writer = new Kysely<Schema>({ dialect: sqliteDialect(connection, () => group.active) });
  const read = new Kysely<Schema>({ dialect: sqliteDialect(openConnection(path, 'read')) });
  const searchThreads = createSearchThreads(path);
  return {
    read,
    searchThreads,
    write: (work) => group.submit((afterCommit) => work({ db: writer, afterCommit })),
    gatherWhile: (given) => {
      isMoreComing = given;
    },
    close: async () => {
      await group.drain();
      await searchThreads.close();
      await read.destroy();
      await writer.destroy();
    },
  };
};
