/** The PostgreSQL engine: a pool for reads, and one connection for units of work, which share its commits. */

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { formatStorage, type StorageLocation } from '../../config/config-values.ts';
import type { RunId } from '../../kernel/ids.ts';
import { createGroupCommit } from '../group-commit.ts';
import { lockDataDirectory } from '../lock-data.ts';
import { refuseBreaking } from '../migrations/schema-state.ts';
import type { TextIndex } from '../search/full-text-search.ts';
import { createIndexer } from '../search/indexer.ts';
import type { OpenOptions, Store } from '../store.ts';
import { findServingRuns, recordEnding } from './boxes.ts';
import { createClient, createPool, cut, openDb, type Sockets } from './connections.ts';
import { lockDatabase, noDaemonLock } from './daemon-lock.ts';
import { createDrawRequests } from './drawn-requests.ts';
import { whileLost } from './lost-connections.ts';
import { DATA, migrate, readSchemaState, requireSchema } from './migrate.ts';
import { removeMessageWords } from './search/message-words.ts';
import { createPassageIndex } from './search/passage-words.ts';
import { createSearching } from './search/searching.ts';
import { requireServer, toServerError } from './server-state.ts';
import { createWriteTransaction } from './write-transaction.ts';

const READERS = 8;
/** The daemon writes by one connection; units of work share its transactions. */
const WRITERS = 1;

const withClient = async <T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
  const client = await whileLost(() => pool.connect());
  try {
    return await work(client);
  } finally {
    client.release();
  }
};

/** @throws LockedError, SchemaError */
export const openPostgresStore = async (
  location: Extract<StorageLocation, { engine: 'postgres' }>,
  { now, lockIn, schema = 'migrate', onFault = () => {}, succession, admit, ...testing }: OpenOptions,
): Promise<Store> => {
  const { url } = location;
  const runId = randomUUID() as string as RunId;
  const directory = lockIn === undefined ? null : lockDataDirectory(lockIn);
  const sockets: Sockets = new Set();
  const writers = createPool(url, WRITERS, { pipeline: true, sockets });
  const readers = createPool(url, READERS, { sockets });
  const read = openDb({ query: (query) => whileLost(() => readers.query(query)) }, testing.onQuery);
  let lock = noDaemonLock;
  const end = async (): Promise<void> => {
    await Promise.all([writers.end(), readers.end()]);
    await lock.release();
    directory?.release();
  };
  let ended: Promise<void> | null = null;
  const close = (): Promise<void> => {
    ended ??= end();
    return ended;
  };
  const fits = async (client: pg.ClientBase): Promise<void> => refuseBreaking(DATA, await readSchemaState(client));
  /** Where the data is of an older version, this one leads before it serves. @returns {@link Store.led} */
  const join = async (): Promise<[led: Promise<void> | null]> => {
    const state = await withClient(writers, readSchemaState);
    refuseBreaking(DATA, state);
    if (!state.isNew) await admit?.(read);
    if (!state.isNew && state.pending.length === 0) {
      lock.serve(fits);
      return [lock.held];
    }
    succession?.onStandBy();
    await lock.held;
    return [null];
  };
  let led: Promise<void> | null = null;
  try {
    await withClient(writers, (client) => requireServer(client, url));
    if (directory) {
      const server = { createClient: () => createClient(url, { sockets }), onSilent: () => cut(sockets) };
      lock = await lockDatabase(server, onFault, succession && { runId, succession });
      if (lock.held) [led] = await join();
    }
    await withClient(writers, async (client) => {
      if (schema === 'migrate' || (await requireSchema(client))) await migrate(client, now);
    });
  } catch (error) {
    await close();
    throw toServerError(error, formatStorage(location));
  }
  led?.catch((error) => succession?.onLost(String(error.message)));
  let isMoreComing = () => false;
  const { transaction, db } = createWriteTransaction({ writers, readers }, lock, () => group.active, {
    runId,
    ...testing,
  });
  const { repeatEvery } = testing;
  const group = createGroupCommit(transaction, { isMoreComing: () => isMoreComing(), repeatEvery });
  const indexer = createIndexer({
    worker: new URL('./search/words.worker.ts', import.meta.url),
    workerData: { url },
    onFault,
  });
  /** The box that leads indexes what all of them have taken. */
  let indexes = false;
  const catchUp = (): void => {
    if (indexes) indexer.catchUp();
  };
  const index = (): void => {
    indexes = true;
    indexer.catchUp();
  };
  if (lock.held) lock.held.then(index, () => undefined);
  else if (directory) index();
  const searching = createSearching(url, catchUp);
  const tx = {
    db,
    passageIndex: createPassageIndex(db),
    // A backup is the operator's own: there is nothing beside the database that a restore would leave.
    noteRevocation: () => {},
  };
  return {
    read,
    runId,
    findRuns: () => withClient(readers, findServingRuns),
    drawRequests: createDrawRequests((query) => readers.query(query)),
    endRun: () => withClient(readers, (client) => recordEnding(client, runId)),
    search: searching.messages,
    searchPassages: searching.passages,
    findVectorFault: async () => null,
    write: (work) =>
      group.submit((afterCommit) => {
        const andTell = (effect: () => void): void => {
          afterCommit(effect);
          afterCommit(lock.tellOthers);
        };
        const textIndex: TextIndex = {
          added: () => {
            if (indexes) andTell(indexer.textChanged);
          },
          remove: (seq) => removeMessageWords(db, seq),
        };
        return work({ ...tx, textIndex, afterCommit: andTell });
      }),
    led,
    hearOthers: (listener) =>
      lock.hearOthers(() => {
        catchUp();
        listener();
      }),
    gatherWhile: (given) => {
      isMoreComing = given;
    },
    // The server's autovacuum does.
    releaseSpace: async () => 0,
    close: async () => {
      await indexer.close();
      await group.drain();
      await searching.close();
      await close();
    },
  };
};
