/**
 * Ends what a key holds open (streams, waits, sessions) once the key is revoked, has expired or lost its agent. Whoever
 * ends a key may be another process, so the keys that hold something are looked up again and again.
 */

import type { Clock } from '../kernel/clock.ts';
import type { KeyId } from '../kernel/ids.ts';
import { listLiveKeys } from '../store/accounts/api-keys.ts';
import type { Db } from '../store/store.ts';

export interface KeyEndings {
  /** @returns what ends the subscription */
  onEnd(key: KeyId, listener: () => void): () => void;
  /** Asked before anything is handed out that came after the key was shown. */
  isLive(key: KeyId): Promise<boolean>;
  /** Tells the listeners of keys that have ended. */
  look(): Promise<void>;
}

/** Keys of one query. */
const PART = 500;

export const createKeyEndings = (read: Db, clock: Clock): KeyEndings => {
  const listeners = new Map<KeyId, Set<() => void>>();
  const end = (key: KeyId): void => {
    for (const listener of [...(listeners.get(key) ?? [])]) listener();
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
    isLive: async (key) => (await listLiveKeys(read, [key], clock.now())).length > 0,
    look: async () => {
      const keys = [...listeners.keys()];
      for (let at = 0; at < keys.length; at += PART) {
        const part = keys.slice(at, at + PART);
        const live = new Set(await listLiveKeys(read, part, clock.now()));
        for (const key of part) if (!live.has(key)) end(key);
      }
    },
  };
};
