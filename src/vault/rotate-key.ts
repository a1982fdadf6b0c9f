/**
 * Replaces the master key of a running daemon. One transaction wraps every key anew; sealed data stays as it is. A
 * crash at any step leaves the data readable: the wrapping key is in the key file, in `.new` or in `.old`, and the
 * next rotation continues.
 */

import { existsSync } from 'node:fs';
import type { Clock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { asCaller } from '../kernel/files/caller-rights.ts';
import { release } from '../seal/guarded-memory.ts';
import {
  keepOldKey,
  listOldKeys,
  newKeyPath,
  oldKeyPath,
  placeNewKey,
  setOldKeyAside,
  stageKey,
} from '../seal/replace-key-file.ts';
import type { Store, Tx } from '../store/store.ts';
import { findWrappedKey, listWrappedKeys, updateWrappedKey } from '../store/vault/vault-keys.ts';
import { findMasterKey, type MasterKey, readMasterKey, toMasterKey } from './master-key.ts';
import { unwrapKey, wrapKey } from './vault-keys.ts';

export interface Rotation {
  keyFile: string;
  oldKeyFile: string;
  /** The files of earlier keys, the one just replaced first; each opens backups of its time. */
  oldKeyFiles: string[];
  /** Number of keys wrapped anew: the instance's and the workspaces'. */
  keys: number;
}

export interface RotateNeeds {
  store: Store;
  clock: Clock;
  keyFile: string;
  /** For tests: called after each step. */
  onStep?: (step: 'staged' | 'rewrapped' | 'kept' | 'placed') => void;
}

/**
 * @param inTransaction runs in the transaction that wraps the keys anew
 * @throws ApiError vault_unavailable where the present key file does not open the data; KeyFileError
 */
export const rotateMasterKey = async <T>(
  { store, clock, keyFile, onStep = () => {} }: RotateNeeds,
  inTransaction: (tx: Tx, rotation: Rotation) => Promise<T>,
): Promise<T> => {
  const instance = await findWrappedKey(store.read, 'instance');
  const file = { path: keyFile, isCredential: false };
  const present = instance && findMasterKey(file, instance.masterId);
  if (!present) throw new ApiError('vault_unavailable');
  const next = toMasterKey(asCaller(() => stageKey(keyFile, clock.now())));
  asCaller(() => setOldKeyAside(keyFile));
  onStep('staged');
  const done = await store.write(async (tx) => {
    const keys = await rewrapAll(tx, present, next);
    return inTransaction(tx, { keyFile, oldKeyFile: oldKeyPath(keyFile), oldKeyFiles: listOldKeys(keyFile), keys });
  });
  onStep('rewrapped');
  // An interrupted rotation may have renamed it already.
  if (existsSync(newKeyPath(keyFile))) {
    if (!isInPlace(keyFile, next)) asCaller(() => keepOldKey(keyFile));
    onStep('kept');
    asCaller(() => placeNewKey(keyFile));
  }
  onStep('placed');
  release(present.key);
  release(next.key);
  return done;
};

/** @returns the number of keys wrapped by the new one */
const rewrapAll = async (tx: Tx, present: MasterKey, next: MasterKey): Promise<number> => {
  const rows = await listWrappedKeys(tx.db);
  for (const row of rows) {
    // Wrapped by an interrupted or concurrent rotation.
    if (row.masterId.equals(next.id)) continue;
    const key = row.masterId.equals(present.id) ? unwrapKey(present, row) : null;
    if (!key) throw new Error(`The vault's key ${row.name} does not open: nothing was changed.`);
    await updateWrappedKey(tx, { name: row.name, ...wrapKey(next, row.name, key) });
    release(key);
  }
  return rows.length;
};

const isInPlace = (keyFile: string, next: MasterKey): boolean => {
  const there = readMasterKey({ path: keyFile, isCredential: false });
  if (!there) return false;
  const isNext = there.id.equals(next.id);
  release(there.key);
  return isNext;
};
