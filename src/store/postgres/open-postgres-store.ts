/** The PostgreSQL engine: a pool for reads, another for units of work. */

import type { StorageLocation } from '../../config/config-values.ts';
import { lockDataDirectory } from '../lock-data.ts';
import type { OpenOptions, Store } from '../store.ts';
import { LockedError } from '../store-errors.ts';
import { createPool, openDb } from './connections.ts';
import { migrate, requireSchema } from './migrate.ts';
import { addMessageWords, removeMessageWords } from './search/message-words.ts';
import { createPassageIndex, createPassageSearch } from './search/passage-words.ts';
import { createSearch } from './search/search-messages.ts';
import { createWriteUnits } from './write-units.ts';

const READERS = 8;
const WRITERS = 8;
/** Of the lock that a daemon holds as long as it works on the database. */
const DAEMON_LOCK = 3_572;

/** @throws LockedError where another daemon works on the database */
const lockDatabase = async (pool: ReturnType<typeof createPool>): Promise<() => void> => {
  const client = await pool.connect();
  const { rows } = await client.query<{ held: number }>('select pg_try_advisory_lock($1) as held', [DAEMON_LOCK]);
  if (rows[0]?.held === 1) return () => client.release(true);
  client.release();
  throw new LockedError('Another daemon works on the database.');
};

/** @throws LockedError, SchemaError */
export const openPostgresStore = async (
  { url }: Extract<StorageLocation, { engine: 'postgres' }>,
  { now, lockIn, schema = 'migrate', onFault = () => {}, ...testing }: OpenOptions,
): Promise<Store> => {
  const directory = lockIn === undefined ? null : lockDataDirectory(lockIn);
  // One more connection: the daemon's lock has its own.
  const writers = createPool(url, WRITERS + 1, onFault);
  const readers = createPool(url, READERS, onFault);
  let unlock = () => {};
  const end = async (): Promise<void> => {
    unlock();
    await Promise.all([writers.end(), readers.end()]);
    directory?.release();
  };
  let ended: Promise<void> | null = null;
  const close = (): Promise<void> => {
    ended ??= end();
    return ended;
  };
  try {
    if (directory) unlock = await lockDatabase(writers);
    const client = await writers.connect();
    try {
      if (schema === 'migrate' || (await requireSchema(client))) await migrate(client, now);
    } finally {
      client.release();
    }
  } catch (error) {
    await close();
    throw error;
  }
  const run = createWriteUnits(writers, testing);
  const read = openDb(readers as never, testing.onQuery);
  const open = new Set<Promise<unknown>>();
  return {
    read,
    search: createSearch(read),
    searchPassages: createPassageSearch(read),
    findVectorFault: async () => null,
    write: (work) => {
      const unit = run(({ db, afterCommit, lock }) =>
        work({
          db,
          afterCommit,
          lock,
          textIndex: {
            add: (seq, text) => addMessageWords(db, seq, text),
            remove: (seq) => removeMessageWords(db, seq),
          },
          passageIndex: createPassageIndex(db),
          // A backup is the operator's own: there is nothing beside the database that a restore would leave.
          noteRevocation: () => {},
        }),
      );
      const settled = unit.catch(() => undefined).finally(() => open.delete(settled));
      open.add(settled);
      return unit;
    },
    gatherWhile: () => {},
    // The server's autovacuum does.
    releaseSpace: async () => 0,
    close: async () => {
      while (open.size > 0) await Promise.all(open);
      await close();
    },
  };
};
