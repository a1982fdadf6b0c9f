/**
 * Replaces the key file in steps; after each, a file has every key in use. The new key is written whole beside the old
 * one, the old one is kept as `.old`, and the new one is renamed to its place. An earlier `.old` is kept as `.old.N`,
 * which opens backups of its time.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HOUR, type Millis } from '../kernel/clock.ts';
import { syncPath } from '../kernel/files/sync.ts';
import { codeOf } from '../kernel/text/message-of.ts';
import { KeyFileError, readKeyFile, writeKeyFile } from './key-file.ts';

export const newKeyPath = (path: string): string => `${path}.new`;
export const oldKeyPath = (path: string): string => `${path}.old`;

/** A name beside the file that no other process uses. */
const temporaryPath = (path: string): string => `${path}.${randomBytes(6).toString('hex')}.tmp`;

/** Copies owner and mode of the present file, because root may rotate a key that the daemon's user reads. */
const giveAs = (path: string, to: string): void => {
  const { mode, uid, gid } = statSync(path);
  const has = statSync(to);
  if (has.uid !== uid || has.gid !== gid) chownSync(to, uid, gid);
  chmodSync(to, mode & 0o7777);
};

/** Longer than a rotation takes to write a file. */
const LEFT_AFTER_MS = HOUR;

/** Removes temporary files of a killed rotation: each contains a whole key. */
const removeLeftovers = (path: string, now: Millis): void => {
  const folder = dirname(path);
  const beginning = `${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(beginning) || !/^[0-9a-f]{12}\.tmp$/.test(name.slice(beginning.length))) continue;
    const left = join(folder, name);
    if (statSync(left).mtimeMs < now - LEFT_AFTER_MS) rmSync(left, { force: true });
  }
};

/**
 * Writes a new key beside the present one, whole or not at all; uses the one that an interrupted rotation left.
 * @returns the new key, in guarded memory
 */
export const stageKey = (path: string, now: Millis): Buffer => {
  removeLeftovers(path, now);
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
    syncPath(dirname(path));
  }
  return readKeyFile(staged);
};

/** Two concurrent rotations both use the first one's key. */
const linkUnlessThere = (from: string, to: string): void => {
  try {
    linkSync(from, to);
  } catch (cause) {
    const code = codeOf(cause);
    if (code !== 'EEXIST') throw new KeyFileError('unreadable', to, `cannot be written (${code})`, { cause });
  }
};

/** Whether both files have the same bytes. */
const isCopy = (one: string, other: string): boolean => {
  const [mine, theirs] = [readFileSync(one), readFileSync(other)];
  const isSame = mine.length === theirs.length && timingSafeEqual(mine, theirs);
  for (const bytes of [mine, theirs]) bytes.fill(0);
  return isSame;
};

/** The files of earlier keys, `.old` first, the others by their number. */
export const listOldKeys = (path: string): string[] => {
  const old = basename(oldKeyPath(path));
  const numbers = readdirSync(dirname(path)).flatMap((name) => {
    const number = name.startsWith(`${old}.`) ? name.slice(old.length + 1) : '';
    return /^[1-9]\d{0,8}$/.test(number) ? [Number(number)] : [];
  });
  return [old, ...numbers.sort((a, b) => a - b).map((number) => `${old}.${number}`)].map((name) =>
    join(dirname(path), name),
  );
};

/**
 * Also links an earlier `.old` as the first free `.old.N`, so that {@link keepOldKey} does not destroy it. Not needed
 * for a copy of the present key, which an interrupted rotation leaves, or a file with such a name already.
 */
export const setOldKeyAside = (path: string): void => {
  const old = oldKeyPath(path);
  if (!existsSync(old) || (existsSync(path) && isCopy(old, path))) return;
  let number = 1;
  while (existsSync(`${old}.${number}`) && !isSameFile(old, `${old}.${number}`)) number += 1;
  linkUnlessThere(old, `${old}.${number}`);
  syncPath(dirname(path));
};

const isSameFile = (one: string, other: string): boolean => {
  const [mine, theirs] = [statSync(one), statSync(other)];
  return mine.dev === theirs.dev && mine.ino === theirs.ino;
};

/** Keeps a copy of the present key as `.old`. An earlier one has another name by now. */
export const keepOldKey = (path: string): void => {
  const temporary = temporaryPath(path);
  copyFileSync(path, temporary);
  giveAs(path, temporary);
  syncPath(temporary);
  renameSync(temporary, oldKeyPath(path));
  syncPath(dirname(path));
};

/** Renames the new key to its place. */
export const placeNewKey = (path: string): void => {
  renameSync(newKeyPath(path), path);
  syncPath(dirname(path));
};
