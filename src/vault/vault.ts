/**
 * Seals and opens secrets. A value is sealed under its workspace's key and bound to every other column of its row, its
 * version included. The current version is stored separately, under a MAC. So an altered, moved or restored row does
 * not open.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { NewId, SecretId, WorkspaceId } from '../kernel/ids.ts';
import { deriveKey } from '../seal/derive.ts';
import { openGuarded, seal } from '../seal/envelope.ts';
import { guardedBytes, release, using } from '../seal/guarded-memory.ts';
import type { Db, Store, Tx } from '../store/store.ts';
import { listIndexedWorkspaces } from '../store/vault/leak-indexes.ts';
import {
  deleteSecret,
  findVersionedSecret,
  insertSecret,
  type SecretHead,
  type SecretType,
  type SecretVersion,
  toNameKey,
  updateSecret,
  type VersionedSecret,
} from '../store/vault/secrets.ts';
import type { LeakGuard } from './leak-guard.ts';
import { guardedTexts, hasTotp, type SecretValue } from './secret-value.ts';
import type { VaultKeys } from './vault-keys.ts';

export interface NewSecret {
  workspaceId: WorkspaceId;
  name: string;
  type: SecretType;
  tags: string[];
  value: SecretValue;
}

export interface SecretChange {
  value?: SecretValue | undefined;
  tags?: string[] | undefined;
}

export interface Vault {
  /** @throws ApiError vault_unavailable */
  add(tx: Tx, secret: NewSecret): Promise<SecretHead>;
  /**
   * Seals a new value, and tags where given, as the next version; without a value the present one.
   * @throws ApiError vault_unavailable, secret_unreadable
   */
  change(tx: Tx, secret: SecretHead, change: SecretChange): Promise<SecretHead>;
  remove(tx: Tx, secret: SecretHead): Promise<void>;
  /** @throws ApiError vault_unavailable, secret_unreadable */
  open(db: Db, secret: VersionedSecret): Promise<SecretValue>;
  /** Makes fingerprints of earlier versions again, in the present forms. */
  renewFingerprints(store: Store): Promise<void>;
}

/** Every column but the sealed one. */
const formatContext = (head: SecretHead): string => {
  const { id, workspaceId, name, nameKey, type, tags, hasTotp: totp, version, createdAt, updatedAt } = head;
  return `secret:${JSON.stringify([workspaceId, id, version, name, nameKey, type, tags, totp, createdAt, updatedAt])}`;
};

const toVersion = (key: Buffer, { workspaceId, id, version }: SecretHead): SecretVersion => {
  const macKey = deriveKey(key, 'secret versions');
  return { version, mac: createHmac('sha256', macKey).update(`${workspaceId} ${id} ${version}`).digest() };
};

/** The text is in guarded memory only while it is sealed; the given strings are the caller's. */
const sealValue = (key: Buffer, head: SecretHead, value: SecretValue): Buffer => {
  const text = JSON.stringify(value);
  return using(guardedBytes(Buffer.byteLength(text)), (bytes) => {
    bytes.write(text);
    return seal(key, bytes, formatContext(head));
  });
};

const isCurrent = (key: Buffer, secret: VersionedSecret): boolean => {
  const { current } = secret;
  if (!current) return false;
  const { version, mac } = toVersion(key, secret);
  return current.version === version && current.mac.length === mac.length && timingSafeEqual(current.mac, mac);
};

const unreadable = (id: SecretId, why: string): ApiError =>
  new ApiError('secret_unreadable', { cause: new Error(`The secret ${id} ${why}.`) });

const openValue = (key: Buffer, secret: VersionedSecret): SecretValue => {
  if (!isCurrent(key, secret)) throw unreadable(secret.id, 'is not of its current version');
  const opened = openGuarded(key, secret.sealed, formatContext(secret));
  if (!opened) throw unreadable(secret.id, 'does not decrypt');
  return using(opened, (bytes) => JSON.parse(bytes.toString()) as SecretValue);
};

export interface VaultNeeds {
  keys: Pick<VaultKeys, 'openWorkspaceKey' | 'ensureWorkspaceKey'>;
  leakGuard: Pick<LeakGuard, 'replace' | 'listOutdated'>;
  clock: Clock;
  newId: NewId;
}

export const createVault = ({ keys, leakGuard, clock, newId }: VaultNeeds): Vault => {
  /** @param inTransaction gets the workspace's key, which is released after it */
  const withKey = async <T>(tx: Tx, id: WorkspaceId, inTransaction: (key: Buffer) => Promise<T>): Promise<T> => {
    const key = await keys.ensureWorkspaceKey(tx, id);
    try {
      return await inTransaction(key);
    } finally {
      release(key);
    }
  };

  const openPresent = async (db: Db, key: Buffer, id: SecretId): Promise<SecretValue> => {
    const secret = await findVersionedSecret(db, id);
    if (!secret) throw unreadable(id, 'is gone');
    return openValue(key, secret);
  };

  return {
    add: (tx, { value, ...given }) =>
      withKey(tx, given.workspaceId, async (key) => {
        const now = clock.now();
        const head: SecretHead = {
          ...given,
          id: newId<'secret'>(),
          nameKey: toNameKey(given.name),
          hasTotp: hasTotp(given.type, value),
          version: 1,
          createdAt: now,
          updatedAt: now,
        };
        await insertSecret(tx, { ...head, sealed: sealValue(key, head, value) }, toVersion(key, head));
        await leakGuard.replace(tx, head.workspaceId, key, head.id, guardedTexts(value));
        return head;
      }),

    change: (tx, before, { value: given, tags = before.tags }) =>
      withKey(tx, before.workspaceId, async (key) => {
        const value = given ?? (await openPresent(tx.db, key, before.id));
        const head: SecretHead = {
          ...before,
          tags,
          hasTotp: hasTotp(before.type, value),
          version: before.version + 1,
          updatedAt: Math.max(clock.now(), before.updatedAt),
        };
        await updateSecret(tx, { ...head, sealed: sealValue(key, head, value) }, toVersion(key, head));
        await leakGuard.replace(tx, head.workspaceId, key, head.id, guardedTexts(value));
        return head;
      }),

    remove: (tx, { id, workspaceId }) =>
      withKey(tx, workspaceId, async (key) => {
        await deleteSecret(tx, id);
        await leakGuard.replace(tx, workspaceId, key, id, []);
      }),

    renewFingerprints: async (store) => {
      for (const workspaceId of await listIndexedWorkspaces(store.read)) {
        if ((await leakGuard.listOutdated(store.read, workspaceId)).length === 0) continue;
        await store.write((tx) =>
          withKey(tx, workspaceId, async (key) => {
            for (const id of await leakGuard.listOutdated(tx.db, workspaceId)) {
              await leakGuard.replace(tx, workspaceId, key, id, guardedTexts(await openPresent(tx.db, key, id)));
            }
          }),
        );
      }
    },

    open: async (db, secret) => {
      const key = await keys.openWorkspaceKey(db, secret.workspaceId);
      if (!key) throw unreadable(secret.id, "has lost its workspace's key");
      return using(key, (opened) => openValue(opened, secret));
    },
  };
};
