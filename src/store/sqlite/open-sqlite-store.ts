/** The SQLite engine: one file, one writer with shared commits, readers on connections of their own. */

import { randomUUID } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import type { StorageLocation } from '../../config/config-values.ts';
import type { RunId } from '../../kernel/ids.ts';
import { createGroupCommit } from '../group-commit.ts';
import type { TextIndex } from '../search/full-text-search.ts';
import { createIndexer } from '../search/indexer.ts';
import type { PassageJob } from '../search/passages/passage-search.ts';
import { createThreadPool, SEARCH_IDLE_MS } from '../search/thread-pool.ts';
import type { Db, OpenOptions, Store } from '../store.ts';
import { noteRevocation } from './backup/revocations.ts';
import { releasePages } from './compact-database.ts';
import { openDb } from './dialect.ts';
import { fts5Rows } from './fts5-rows.ts';
import { type DataLock, lockDataDirectory } from './lock.ts';
import { migrate, requireSchema } from './migrate.ts';
import { openConnection } from './open-database.ts';
import { findVectorFault } from './passages/vector-extension.ts';
import { createSearch } from './text-index/fts5-search.ts';
import type { FoundPage, SearchJob } from './text-index/search-job.ts';
import { createTransaction } from './transaction.ts';

const ADD = 'insert into removed_texts (seq) values (?)';
/** The highest number ever given stays known. */
const FORGET = `delete from removed_texts where seq in (select value from json_each(?))
  and seq < (select max(seq) from removed_texts)`;

/** Numbers of removed texts, kept until the full-text index has removed them as well. */
const createRemovedTexts = (db: Db) => ({
  add: async (seq: number): Promise<void> => {
    await db.executeQuery(CompiledQuery.raw(ADD, [seq]));
  },
  forget: async (seqs: readonly number[]): Promise<void> => {
    await db.executeQuery(CompiledQuery.raw(FORGET, [JSON.stringify(seqs)]));
  },
});

const SEARCH_THREADS = 8;

type SqliteLocation = Extract<StorageLocation, { engine: 'sqlite' }>;

/** @throws LockedError, SchemaError */
export const openSqliteStore = async (location: SqliteLocation, options: OpenOptions): Promise<Store> => {
  // Before the file is opened: opening may migrate it.
  const lock = options.lockIn === undefined ? null : lockDataDirectory(options.lockIn);
  try {
    return open(location.file, options, lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
};

const open = (
  file: string,
  { now, schema = 'migrate', givesWay, repeatEvery, onQuery, onFault = () => {} }: OpenOptions,
  lock: DataLock | null,
): Store => {
  const connection = openConnection(file, 'write');
  try {
    if (schema === 'migrate' || requireSchema(connection)) migrate(connection, now);
  } catch (error) {
    connection.close();
    throw error;
  }
  let isMoreComing = () => false;
  const options = { isMoreComing: () => isMoreComing(), givesWay, repeatEvery };
  const group = createGroupCommit(createTransaction(connection), options);
  const mayQuery = () => group.active;
  const writer = openDb(connection, { mayQuery, onQuery });
  const reader = openConnection(file, 'read');
  const read = openDb(reader, { onQuery });
  const searching = createThreadPool<SearchJob | PassageJob>(
    new URL('./search-threads.worker.ts', import.meta.url),
    { path: file },
    { most: SEARCH_THREADS, idleMs: SEARCH_IDLE_MS },
  );
  const removedTexts = createRemovedTexts(writer);
  const indexer = createIndexer({
    worker: new URL('./text-index/indexer.worker.ts', import.meta.url),
    workerData: { file },
    forgetRemoved: (seqs) => group.submit(() => removedTexts.forget(seqs)),
    onFault,
  });
  if (lock) indexer.catchUp();
  const runId = randomUUID() as string as RunId;
  const passageIndex = fts5Rows(writer, 'knowledge_index', ['title', 'heading', 'lead', 'body']);
  return {
    read,
    runId,
    findRuns: async () => [{ runId, isEnding: false }],
    endRun: async () => {},
    drawRequests: null,
    search: createSearch(read, (job) => searching.run<FoundPage>(job), indexer),
    searchPassages: (query) => searching.run({ kind: 'passages', ...query }),
    findVectorFault,
    write: (work) =>
      group.submit((afterCommit) => {
        const textChanged = () => afterCommit(indexer.textChanged);
        const textIndex: TextIndex = {
          added: textChanged,
          remove: async (seq) => {
            await removedTexts.add(seq);
            textChanged();
          },
        };
        const tx = { db: writer, textIndex, passageIndex, afterCommit };
        return work({ ...tx, noteRevocation: (id) => noteRevocation(file, id) });
      }),
    releaseSpace: () => group.submit(async () => releasePages(connection)),
    gatherWhile: (given) => {
      isMoreComing = given;
    },
    led: null,
    hearOthers: () => {},
    close: async () => {
      await indexer.close();
      await group.drain();
      await searching.close();
      reader.close();
      connection.close();
      lock?.release();
    },
  };
};
