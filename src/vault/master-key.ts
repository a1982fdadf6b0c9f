/** The master key, which wraps all other keys: read from its file, and again after a rotation. */

import { deriveKey } from '../seal/derive.ts';
import { release } from '../seal/guarded-memory.ts';
import { KeyFileError, readKeyFile } from '../seal/key-file.ts';
import { newKeyPath, oldKeyPath } from '../seal/replace-key-file.ts';

export interface MasterKeyFile {
  path: string;
  /** Whether systemd placed it in `$CREDENTIALS_DIRECTORY`. */
  isCredential: boolean;
  /** The file in the config, the credential's source at the start; a rotation replaces it. */
  configured?: string;
}

export interface MasterKey {
  /** 8 bytes that identify the key and reveal nothing about it. */
  id: Buffer;
  /** 32 bytes in guarded memory. */
  key: Buffer;
}

const ID_BYTES = 8;

export const toMasterKey = (key: Buffer): MasterKey => ({
  id: Buffer.from(deriveKey(key, 'master key id').subarray(0, ID_BYTES)),
  key,
});

/**
 * Reads the key file.
 * @returns null where there is none
 * @throws KeyFileError for a wrong mode or content
 */
export const readMasterKey = ({ path, isCredential }: MasterKeyFile): MasterKey | null => {
  try {
    return toMasterKey(readKeyFile(path, isCredential));
  } catch (error) {
    if (error instanceof KeyFileError && error.fault === 'missing') return null;
    throw error;
  }
};

/**
 * The key with that id: from the file; from `.new`, which an interrupted rotation left; or from `.old`, for a data
 * file from before a rotation.
 * @returns null where none has the id
 * @throws KeyFileError where the file itself has a wrong mode or content
 */
export const findMasterKey = (file: MasterKeyFile, id: Buffer): MasterKey | null => {
  const present = readMasterKey(file);
  if (present && fits(present, id)) return present;
  const others = [newKeyPath(file.path), oldKeyPath(file.path)].map((path) => ({ ...file, path }));
  if (file.configured !== undefined) others.push({ path: file.configured, isCredential: false });
  for (const each of others) {
    const other = readOther(each);
    if (other && fits(other, id)) return other;
  }
  return null;
};

const fits = (master: MasterKey, id: Buffer): boolean => {
  if (master.id.equals(id)) return true;
  release(master.key);
  return false;
};

/** A fault of a file beside the key file is ignored: the file is optional. */
const readOther = (file: MasterKeyFile): MasterKey | null => {
  try {
    return readMasterKey(file);
  } catch (error) {
    if (error instanceof KeyFileError) return null;
    throw error;
  }
};
