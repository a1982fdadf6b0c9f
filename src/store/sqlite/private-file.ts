/** The data file holds all mail and the hashes of keys: whatever the umask, no other user reads it. */

import { chmodSync, closeSync, openSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const OTHERS = 0o077;

/**
 * Makes the file where there is none, and takes from it what group and others may do; so too from those beside it that begin
 * with its name. SQLite gives a -wal, -shm or -journal that it makes the mode of the data file.
 */
export const keepPrivate = (path: string): void => {
  closeSync(openSync(path, 'a', 0o600));
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(basename(path))) continue;
    const file = join(folder, name);
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & OTHERS) !== 0) chmodSync(file, mode & 0o700);
  }
};

/** The mode of a directory that others than its owner may enter or read, as `0755`; null where they may not. */
export const openToOthers = (directory: string): string | null => {
  const { mode } = statSync(directory);
  return (mode & OTHERS) === 0 ? null : (mode & 0o7777).toString(8).padStart(4, '0');
};
