/**
 * Stores the fingerprints of a workspace's secrets, sealed together under the workspace's key, and caches them in
 * memory as the index for searching sends. No value is stored.
 */

import { BoundedMap } from '../kernel/bounded-map.ts';
import { ApiError } from '../kernel/errors.ts';
import { idFromBytes, idToBytes, type SecretId, type WorkspaceId } from '../kernel/ids.ts';
import { open, seal } from '../seal/envelope.ts';
import { release } from '../seal/guarded-memory.ts';
import { type LeakCheck, type LeakIndex, toLeakIndex } from '../seal/leak-index.ts';
import { type LeakPattern, leakKeys, leakPatterns, MAC_BYTES } from '../seal/leak-patterns.ts';
import type { Db, Tx } from '../store/store.ts';
import { findLeakIndex, findLeakState, putLeakIndex, type StoredLeakIndex } from '../store/vault/leak-indexes.ts';
import type { VaultKeys } from './vault-keys.ts';

export interface LeakGuard {
  find(db: Db, workspaceId: WorkspaceId): Promise<LeakCheck>;
  /** The secrets with fingerprints of an earlier version, in other forms. */
  listOutdated(db: Db, workspaceId: WorkspaceId): Promise<SecretId[]>;
  /** @param texts the secret's present values; empty where it is removed */
  replace(tx: Tx, workspaceId: WorkspaceId, key: Buffer, secretId: SecretId, texts: readonly string[]): Promise<void>;
}

/** Indexes in memory, 300 KB for 1,000 secrets; beyond it the oldest is dropped and read again on use. */
const MAX_INDEXES = 100;

const ID_BYTES = 16;
/** windowHash, wholeHash, offset, length, generation of the forms. */
const NUMBERS_BYTES = 5 * 4;
/** Secret, numbers, MAC. */
const ENTRY_BYTES = ID_BYTES + NUMBERS_BYTES + MAC_BYTES;

/** An index in memory, and its numbers' secrets. */
interface KnownIndex {
  generation: number;
  index: LeakIndex;
  secretIds: readonly SecretId[];
}

/** The version of the fingerprints' forms; those of earlier versions are made again. */
const FORMS = 3;

interface Entry extends LeakPattern {
  secretId: SecretId;
  forms: number;
}

const formatContext = (workspaceId: WorkspaceId, generation: number): string =>
  `leak-index:${workspaceId}:${generation}`;

const encode = (entries: readonly Entry[]): Buffer =>
  Buffer.concat(
    entries.map(({ secretId, windowHash, wholeHash, offset, length, forms, mac }) => {
      const numbers = Buffer.alloc(NUMBERS_BYTES);
      for (const [at, number] of [windowHash, wholeHash, offset, length, forms].entries()) {
        numbers.writeUInt32LE(number, at * 4);
      }
      return Buffer.concat([idToBytes(secretId), numbers, mac]);
    }),
  );

const decode = (bytes: Buffer): Entry[] =>
  Array.from({ length: bytes.length / ENTRY_BYTES }, (_, index) => {
    const entry = bytes.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES);
    const number = (at: number) => entry.readUInt32LE(ID_BYTES + at * 4);
    return {
      secretId: idFromBytes<'secret'>(entry.subarray(0, ID_BYTES)),
      windowHash: number(0),
      wholeHash: number(1),
      offset: number(2),
      length: number(3),
      forms: number(4),
      mac: entry.subarray(ID_BYTES + NUMBERS_BYTES),
    };
  });

const openEntries = (key: Buffer, { workspaceId, generation, sealed }: StoredLeakIndex): Entry[] => {
  const opened = open(key, sealed, formatContext(workspaceId, generation));
  if (!opened) throw new ApiError('secret_unreadable', { cause: new Error('The leak guard has a damaged index.') });
  return decode(opened);
};

export const createLeakGuard = (keys: Pick<VaultKeys, 'openWorkspaceKey'>): LeakGuard => {
  const indexes = new BoundedMap<WorkspaceId, KnownIndex>(MAX_INDEXES);

  const load = async (db: Db, workspaceId: WorkspaceId): Promise<KnownIndex> => {
    const stored = await findLeakIndex(db, workspaceId);
    const key = await keys.openWorkspaceKey(db, workspaceId);
    if (!stored || !key) throw new ApiError('secret_unreadable');
    try {
      const entries = openEntries(key, stored);
      const secretIds = [...new Set(entries.map(({ secretId }) => secretId))];
      const numbers = new Map(secretIds.map((id, number) => [id, number]));
      const patterns = entries.map((entry) => ({ ...entry, secret: numbers.get(entry.secretId) ?? 0 }));
      const known = { generation: stored.generation, index: toLeakIndex(leakKeys(key), patterns), secretIds };
      indexes.set(workspaceId, known);
      return known;
    } finally {
      release(key);
    }
  };

  return {
    find: async (db, workspaceId) => {
      const { generation, hasSecrets } = await findLeakState(db, workspaceId);
      // A deleted row does not disable the guard.
      if (generation === null) return { kind: hasSecrets ? 'unavailable' : 'none' };
      try {
        const known = indexes.get(workspaceId);
        const current = known?.generation === generation ? known : await load(db, workspaceId);
        return { kind: 'index', index: current.index, secretIds: current.secretIds };
      } catch (error) {
        if (error instanceof ApiError) return { kind: 'unavailable' };
        throw error;
      }
    },

    listOutdated: async (db, workspaceId) => {
      const stored = await findLeakIndex(db, workspaceId);
      const key = stored && (await keys.openWorkspaceKey(db, workspaceId));
      if (!stored || !key) return [];
      try {
        const outdated = openEntries(key, stored).filter(({ forms }) => forms !== FORMS);
        return [...new Set(outdated.map(({ secretId }) => secretId))];
      } finally {
        release(key);
      }
    },

    replace: async (tx, workspaceId, key, secretId, texts) => {
      const stored = await findLeakIndex(tx.db, workspaceId);
      const others = stored ? openEntries(key, stored).filter((entry) => entry.secretId !== secretId) : [];
      const own = texts
        .flatMap((text) => leakPatterns(leakKeys(key), text))
        .map((pattern) => ({ ...pattern, secretId, forms: FORMS }));
      const generation = (stored?.generation ?? 0) + 1;
      const sealed = seal(key, encode([...others, ...own]), formatContext(workspaceId, generation));
      await putLeakIndex(tx, { workspaceId, generation, sealed });
    },
  };
};
