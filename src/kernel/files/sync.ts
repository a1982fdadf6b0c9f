/** Writes a file, or a folder's changed names, to the disk (fsync). */

import { closeSync, fsyncSync, openSync } from 'node:fs';

/** @param path of a file, or of the folder in which a name has changed */
export const syncPath = (path: string): void => {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};
