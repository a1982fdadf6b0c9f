/** The lock of a data directory, for one daemon. It is the kernel's, on an open file: it ends with the process. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { LockedError } from '../store-errors.ts';
import { keepPrivate } from './private-file.ts';

export interface DataLock {
  release(): void;
}

/** @throws LockedError naming the process that holds the directory; SqliteError where no lock can be made there */
export const lockDataDirectory = (directory: string): DataLock => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const owner = join(directory, 'daemon.pid');
  const file = join(directory, 'daemon.lock');
  keepPrivate(file);
  const lock = new Database(file, { timeout: 0 });
  try {
    lock.pragma('journal_mode = DELETE');
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    // A disk that is full or fails refuses the lock as well.
    if ((cause as { code?: string }).code !== 'SQLITE_BUSY') throw cause;
    throw new LockedError(`Another daemon (process ${readOwner(owner)}) works in ${directory}.`, { cause });
  }
  keepPrivate(owner);
  writeFileSync(owner, `${process.pid}\n`);
  return { release: () => lock.close() };
};

const readOwner = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return 'unknown';
  }
};
