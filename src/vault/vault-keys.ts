/**
 * The sealing keys: one of the instance (DKIM keys, webhook secrets) and one for each workspace's secrets. They are
 * random, wrapped by the master key, and never change; a rotation wraps them anew.
 */

import { existsSync } from 'node:fs';
import sodium from 'sodium-native';
import type { Clock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { WorkspaceId } from '../kernel/ids.ts';
import { openGuarded, seal } from '../seal/envelope.ts';
import { guardedBytes, release } from '../seal/guarded-memory.ts';
import { KEY_BYTES, KeyFileError } from '../seal/key-file.ts';
import type { Db, Store, Tx } from '../store/store.ts';
import { findWrappedKey, insertWrappedKeyOnce, type WrappedKey } from '../store/vault/vault-keys.ts';
import { findMasterKey, type MasterKey, type MasterKeyFile, readMasterKey } from './master-key.ts';

/** Name of the instance's own key; the others are named by their workspace's id. */
const INSTANCE = 'instance';

/**
 * `missing`: no key file, and none beside it that fits. `other`: the key file has another key than the data was sealed
 * under, or the wrapped key is damaged. `refused`: the file has a wrong mode or content. `late`: the key came after the
 * start; secrets open, and signing begins with a restart.
 */
export type VaultState = 'open' | 'missing' | 'refused' | 'other' | 'late';

export interface VaultKeys {
  /** The instance's key, in guarded memory for as long as the process runs; null where the vault was not open at its start. */
  readonly instanceKey: Buffer | null;
  state(db: Db): Promise<VaultState>;
  /**
   * A workspace's key, in guarded memory, which the caller releases.
   * @returns null where the workspace has none, and so no secrets
   * @throws ApiError vault_unavailable, secret_unreadable
   */
  openWorkspaceKey(db: Db, id: WorkspaceId): Promise<Buffer | null>;
  /** The same, and creates a missing key. */
  ensureWorkspaceKey(tx: Tx, id: WorkspaceId): Promise<Buffer>;
}

const formatContext = (name: string): string => `vault-key:${name}`;

export const wrapKey = (master: MasterKey, name: string, key: Buffer): Pick<WrappedKey, 'masterId' | 'wrapped'> => ({
  masterId: master.id,
  wrapped: seal(master.key, key, formatContext(name)),
});

/** @returns null where the row was altered since the wrapping */
export const unwrapKey = (master: MasterKey, { name, wrapped }: WrappedKey): Buffer | null =>
  openGuarded(master.key, wrapped, formatContext(name));

/**
 * The instance's key by a key file, in guarded memory, which the caller releases.
 * @returns null where the file is missing, or has another key
 * @throws KeyFileError where it has a wrong mode or content
 */
export const openInstanceKey = async (db: Db, file: MasterKeyFile): Promise<Buffer | null> => {
  const row = await findWrappedKey(db, INSTANCE);
  const master = row && findMasterKey(file, row.masterId);
  return master && unwrapKey(master, row);
};

const isThere = ({ path }: MasterKeyFile): boolean => existsSync(path);

const newKey = (): Buffer => {
  const key = guardedBytes(KEY_BYTES);
  sodium.randombytes_buf(key);
  return key;
};

/**
 * Seals anew, under the instance's key, data that older versions sealed under the master key.
 * @returns false where it does not open: the key file has another key
 */
export type ResealLegacy = (tx: Tx, master: Buffer, instanceKey: Buffer) => Promise<boolean>;

/** Thrown to roll the transaction back. */
class OtherKey extends Error {}

export interface VaultKeyNeeds {
  store: Store;
  clock: Clock;
  file: MasterKeyFile;
  resealLegacy: ResealLegacy;
}

/** @throws KeyFileError where the key file has a wrong mode or content */
export const openVaultKeys = async ({ store, clock, file, resealLegacy }: VaultKeyNeeds): Promise<VaultKeys> => {
  const known = await findWrappedKey(store.read, INSTANCE);
  let master = known ? findMasterKey(file, known.masterId) : readMasterKey(file);

  /**
   * The master key with that id. An unknown id shows a rotation by another process: the file is then read again.
   * @throws ApiError vault_unavailable
   */
  const requireMaster = (id: Buffer): MasterKey => {
    if (master?.id.equals(id)) return master;
    const found = find(id);
    if (!found) throw new ApiError('vault_unavailable');
    if (master) release(master.key);
    master = found;
    return found;
  };
  const find = (id: Buffer): MasterKey | null => {
    try {
      return findMasterKey(file, id);
    } catch (cause) {
      if (cause instanceof KeyFileError) throw new ApiError('vault_unavailable', { cause });
      throw cause;
    }
  };
  const unwrap = (row: WrappedKey): Buffer => {
    const key = unwrapKey(requireMaster(row.masterId), row);
    if (!key) throw new ApiError('secret_unreadable', { cause: new Error(`The vault's key ${row.name} is damaged.`) });
    return key;
  };

  const makeInstanceKey = (present: MasterKey): Promise<void> =>
    store.write(async (tx) => {
      const key = newKey();
      const row = { name: INSTANCE, ...wrapKey(present, INSTANCE, key), createdAt: clock.now() };
      if (!(await insertWrappedKeyOnce(tx, row))) return;
      if (!(await resealLegacy(tx, present.key, key))) throw new OtherKey();
    });
  /** Whether an older version sealed the data under another key than the key file's. */
  let isOther = false;
  const openOwnKey = async (): Promise<Buffer | null> => {
    try {
      if (master && !known) await makeInstanceKey(master);
      const row = await findWrappedKey(store.read, INSTANCE);
      return master && row && unwrap(row);
    } catch (error) {
      isOther = error instanceof OtherKey;
      if (isOther || error instanceof ApiError) return null;
      throw error;
    }
  };
  const instanceKey = await openOwnKey();

  return {
    instanceKey,

    state: async (db) => {
      const row = await findWrappedKey(db, INSTANCE);
      if (!row) return !isThere(file) ? 'missing' : isOther ? 'other' : 'late';
      try {
        // Read again, although a key is in memory, to report a fault before a restart fails on it.
        const present = find(row.masterId);
        // The key may also stand beside the file, as a rotation left it.
        if (!present) return isThere(file) ? 'other' : 'missing';
        release(present.key);
        release(unwrap(row));
        return instanceKey ? 'open' : 'late';
      } catch (error) {
        return error instanceof ApiError && error.cause instanceof KeyFileError ? 'refused' : 'other';
      }
    },

    openWorkspaceKey: async (db, id) => {
      const row = await findWrappedKey(db, id);
      return row && unwrap(row);
    },

    ensureWorkspaceKey: async (tx, id) => {
      const row = await findWrappedKey(tx.db, id);
      if (row) return unwrap(row);
      const instance = await findWrappedKey(tx.db, INSTANCE);
      if (!instance) throw new ApiError('vault_unavailable');
      const key = newKey();
      await insertWrappedKeyOnce(tx, {
        name: id,
        ...wrapKey(requireMaster(instance.masterId), id, key),
        createdAt: clock.now(),
      });
      return key;
    },
  };
};
