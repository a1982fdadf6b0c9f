/** The data file holds all mail and the hashes of keys: no other user may read it, whatever the umask. */

import { chmodSync, closeSync, openSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const OTHERS = 0o077;

/**
 * Creates the file where there is none, and removes all rights of group and others, also from files with names that
 * begin with its own. SQLite creates a -wal, -shm or -journal with the mode of the data file.
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
