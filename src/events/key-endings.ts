/**
 * Ends a key's streams, waits and sessions once the key is revoked, has expired or lost its agent; those of an OAuth
 * grant, whose id takes the place of the key's, once the grant is over. Another process may revoke either, so all with
 * anything open are polled.
 */

import type { Clock } from '../kernel/clock.ts';
import type { GrantId, Id, KeyId } from '../kernel/ids.ts';
import { listLiveKeys } from '../store/accounts/api-keys.ts';
import { listLiveGrants } from '../store/oauth/oauth-grants.ts';
import type { Db } from '../store/store.ts';

export interface KeyEndings {
  /** @returns a function that ends the subscription */
  onEnd(key: KeyId, listener: () => void): () => void;
  /** Checked before anything is returned that arrived after the key was authenticated. */
  isLive(key: KeyId): Promise<boolean>;
  /** Calls the listeners of the keys that have ended. */
  poll(): Promise<void>;
}

/** Keys of one query. */
const BATCH = 500;

export const createKeyEndings = (read: Db, clock: Clock): KeyEndings => {
  const listeners = new Map<KeyId, Set<() => void>>();
  const end = (key: KeyId): void => {
    for (const listener of [...(listeners.get(key) ?? [])]) listener();
  };
  const listLive = async (ids: readonly KeyId[]): Promise<Set<KeyId>> => {
    const keys = await listLiveKeys(read, ids, clock.now());
    if (keys.length === ids.length) return new Set(keys);
    const others: readonly Id<string>[] = ids;
    const grants: readonly Id<string>[] = await listLiveGrants(read, others as readonly GrantId[], clock.now());
    return new Set([...keys, ...(grants as readonly KeyId[])]);
  };
  return {
    onEnd: (key, listener) => {
      const ofKey = listeners.get(key) ?? new Set();
      listeners.set(key, ofKey.add(listener));
      return () => {
        ofKey.delete(listener);
        if (ofKey.size === 0) listeners.delete(key);
      };
    },
    isLive: async (key) => (await listLive([key])).size > 0,
    poll: async () => {
      const keys = [...listeners.keys()];
      for (let at = 0; at < keys.length; at += BATCH) {
        const batch = keys.slice(at, at + BATCH);
        const live = await listLive(batch);
        for (const key of batch) if (!live.has(key)) end(key);
      }
    },
  };
};
