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
