/**
 * Replaces the key file in steps, each of which leaves every key that is in use in a file: the new key is written whole
 * beside the old one, the old one is kept as `.old`, and the new one is renamed into its place.
 */

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { KeyFileError, readKeyFile, writeKeyFile } from './key-file.ts';

export const newKeyPath = (path: string): string => `${path}.new`;
export const oldKeyPath = (path: string): string => `${path}.old`;

const syncFolder = (path: string): void => {
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
};

const syncFile = (path: string): void => {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
};

/** A name beside the file that no other process uses. */
const temporaryPath = (path: string): string => `${path}.${randomBytes(6).toString('hex')}.tmp`;

/** With the owner and mode of the present file: root may rotate what the daemon's user reads. */
const giveAs = (path: string, to: string): void => {
  const { mode, uid, gid } = statSync(path);
  const has = statSync(to);
  if (has.uid !== uid || has.gid !== gid) chownSync(to, uid, gid);
  chmodSync(to, mode & 0o7777);
};

/**
 * Writes a new key beside the present one, whole or not at all; one that an interrupted rotation has left is taken up.
 * @returns the new key, in guarded memory
 */
export const stageKey = (path: string): Buffer => {
  const staged = newKeyPath(path);
  if (!existsSync(staged)) {
    const temporary = temporaryPath(path);
    try {
      writeKeyFile(temporary);
      giveAs(path, temporary);
      linkUnlessThere(temporary, staged);
    } finally {
      rmSync(temporary, { force: true });
    }
    syncFolder(path);
  }
  return readKeyFile(staged);
};

/** Of two rotations at once the first one's key is taken by both. */
const linkUnlessThere = (from: string, to: string): void => {
  try {
    linkSync(from, to);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : null;
    if (code !== 'EEXIST') throw new KeyFileError('unreadable', to, `cannot be written (${code})`, { cause });
  }
};

/** Keeps a copy of the present key as `.old`, in the place of an earlier one. */
export const keepOldKey = (path: string): void => {
  const temporary = temporaryPath(path);
  copyFileSync(path, temporary);
  giveAs(path, temporary);
  syncFile(temporary);
  renameSync(temporary, oldKeyPath(path));
  syncFolder(path);
};

/** Renames the new key into its place. */
export const placeNewKey = (path: string): void => {
  renameSync(newKeyPath(path), path);
  syncFolder(path);
};
