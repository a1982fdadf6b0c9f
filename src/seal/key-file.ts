/** The vault's key file: 32 bytes, readable by its owner only. */

import { closeSync, fchmodSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import sodium from 'sodium-native';
import { codeOf } from '../kernel/text/message-of.ts';
import { guardedBytes, toGuarded } from './guarded-memory.ts';

export const KEY_BYTES = 32;

/** Rejects a key of another length, for which libsodium would abort the process. */
export const requireKey = (key: Buffer): void => {
  if (key.length !== KEY_BYTES) throw new RangeError(`A key has ${KEY_BYTES} bytes, this one ${key.length}`);
};

/** Exceeds the base64 of 32 bytes with a line end; a longer file is no key. */
const MAX_FILE_BYTES = 64;

export type KeyFileFault = 'missing' | 'unreadable' | 'mode' | 'content' | 'exists';

/** An unusable key file. The message says what to do. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
  readonly fault: KeyFileFault;
  readonly path: string;

  constructor(fault: KeyFileFault, path: string, text: string, options?: ErrorOptions) {
    super(`${path}: ${text}`, options);
    this.fault = fault;
    this.path = path;
  }
}

const openForReading = (path: string): number => {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    const missing = codeOf(cause) === 'ENOENT';
    const text = missing
      ? 'there is no key file; restore it from your backup of it'
      : `cannot be read (${codeOf(cause)})`;
    throw new KeyFileError(missing ? 'missing' : 'unreadable', path, text, { cause });
  }
};

const decode = (content: Buffer): Buffer | null => {
  if (content.length === KEY_BYTES) return toGuarded(content);
  const text = content.toString('latin1').trim();
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return null;
  const key = Buffer.from(text, 'base64');
  return key.length === KEY_BYTES ? toGuarded(key) : null;
};

/** Modes of a key file that only its owner can read. */
const OWN_MODES: readonly number[] = [0o600, 0o400];
/**
 * systemd grants its service a credential by an access list, which shows as the group's bits of the mode
 * (systemd.exec(5)).
 */
const CREDENTIAL_MODES: readonly number[] = [...OWN_MODES, 0o440];

/**
 * Reads a key into guarded memory: 32 bytes raw, or their base64 (either alphabet, padded or not) with a line end.
 * @param isCredential whether systemd has placed the file, in `$CREDENTIALS_DIRECTORY`
 * @throws {KeyFileError} where the file is missing or unreadable, its mode is not 0600 or 0400, or its content is no
 *   key
 */
export const readKeyFile = (path: string, isCredential = false): Buffer => {
  const file = openForReading(path);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new KeyFileError('content', path, 'is not a file');
    // Checked on the open descriptor, so that the checked file is the one that is read.
    const mode = stat.mode & 0o7777;
    if (!(isCredential ? CREDENTIAL_MODES : OWN_MODES).includes(mode)) {
      const octal = mode.toString(8).padStart(4, '0');
      throw new KeyFileError('mode', path, `has mode ${octal} and must have 0600 or 0400: chmod 600 ${path}`);
    }
    const content = Buffer.alloc(MAX_FILE_BYTES + 1);
    const size = readSync(file, content, 0, content.length, 0);
    const key = decode(content.subarray(0, size));
    sodium.sodium_memzero(content);
    if (key === null) throw new KeyFileError('content', path, 'must hold 32 bytes, raw or as base64');
    return key;
  } finally {
    closeSync(file);
  }
};

const createForWriting = (path: string): number => {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (cause) {
    const exists = codeOf(cause) === 'EEXIST';
    const text = exists ? 'is there already and is not overwritten' : `cannot be written (${codeOf(cause)})`;
    throw new KeyFileError(exists ? 'exists' : 'unreadable', path, text, { cause });
  }
};

/**
 * Generates a key into a new file of mode 0600, as base64 with a line end; returns after fsync.
 * @returns the key
 * @throws {KeyFileError} where the file exists or cannot be created
 */
export const writeKeyFile = (path: string): Buffer => {
  const key = guardedBytes(KEY_BYTES);
  sodium.randombytes_buf(key);
  const file = createForWriting(path);
  try {
    // A umask may clear bits, and readKeyFile requires 0600 or 0400.
    fchmodSync(file, 0o600);
    writeSync(file, `${key.toString('base64')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return key;
};
