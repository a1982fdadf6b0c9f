/** Opens a connection to the data file, with the settings that every connection has. */

import Database from 'better-sqlite3';
import { keepPrivate } from './private-file.ts';

export type Connection = Database.Database;

/** A statement waits this long for another process's write (the CLI beside the daemon). */
const BUSY_TIMEOUT_MS = 10_000;
/** 16 MiB of pages (a negative size is in KiB), so that the indexes of a busy instance stay in memory. */
const CACHE_KIB = -16_384;
/** Of a new file, in octets: a compressed mail of 2 to 3 kB fills a page of 4 KiB alone, three share one of 8 KiB. */
const PAGE_OCTETS = 8_192;
/** WAL pages before a checkpoint: 16 MiB, so that a burst of mail checkpoints seldom. */
const CHECKPOINT_PAGES = 2_000;
/** The -wal grows while a backup reads. By default it keeps the size that it once had, until the daemon ends. */
const KEPT_WAL_OCTETS = 32 * 1024 * 1024;

export const openConnection = (path: string, mode: 'write' | 'read'): Connection => {
  if (mode === 'write') keepPrivate(path);
  const connection = new Database(path, { readonly: mode === 'read', timeout: BUSY_TIMEOUT_MS });
  if (mode === 'write') {
    // Set for a new file only, so that it can release free pages in steps; setting them in others would write to the
    // file.
    if (connection.pragma('page_count', { simple: true }) === 0) {
      connection.pragma(`page_size = ${PAGE_OCTETS}`);
      connection.pragma('auto_vacuum = INCREMENTAL');
    }
    connection.pragma('journal_mode = WAL');
    // WAL's default is NORMAL, which may lose the last commits with the power: 250 means on disk.
    connection.pragma('synchronous = FULL');
    connection.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    connection.pragma(`journal_size_limit = ${KEPT_WAL_OCTETS}`);
    connection.pragma('foreign_keys = ON');
  }
  connection.pragma(`cache_size = ${CACHE_KIB}`);
  connection.pragma('temp_store = MEMORY');
  return connection;
};
