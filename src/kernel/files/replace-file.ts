/** Files that are written whole or not at all. */

import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncPath } from './sync.ts';

/** Writes a file to disk (fsync) beside the one at `path`, and puts it in its place. */
export const replaceFile = (path: string, content: string | Uint8Array, mode: number): void => {
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, 'w', mode);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  syncPath(dirname(path));
};
