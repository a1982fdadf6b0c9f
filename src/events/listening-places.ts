/** Bounds the waits and event streams that one key holds open: each takes memory and a connection. */

import type { Millis } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { KeyId } from '../kernel/ids.ts';
import type { Holder, KeyEndings } from './key-endings.ts';

const PLACES_PER_KEY = 20;

export interface ListeningPlace {
  /** Aborted when the key ends. */
  readonly ended: AbortSignal;
  /** Whether the key is still valid, so that a result may be returned. */
  isLive(): Promise<boolean>;
  /** Idempotent. */
  release(): void;
}

export interface ListeningPlaces {
  /** @throws ApiError rate_limited at the bound */
  take(holder: Holder): ListeningPlace;
}

export const createListeningPlaces = (endings: KeyEndings, most = PLACES_PER_KEY): ListeningPlaces => {
  const taken = new Map<KeyId, number>();
  return {
    take: (holder) => {
      const { keyId: key } = holder;
      const count = taken.get(key) ?? 0;
      if (count >= most) {
        throw new ApiError('rate_limited', {
          hint: `A key holds at most ${most} waits and event streams open at once. End one of them first.`,
          headers: { 'retry-after': '1' },
        });
      }
      taken.set(key, count + 1);
      const over = new AbortController();
      const unsubscribe = endings.onEnd(holder, () => over.abort());
      let isHeld = true;
      return {
        ended: over.signal,
        isLive: () => endings.isLive(holder),
        release: () => {
          if (!isHeld) return;
          isHeld = false;
          unsubscribe();
          const left = (taken.get(key) ?? 1) - 1;
          if (left === 0) taken.delete(key);
          else taken.set(key, left);
        },
      };
    },
  };
};

export interface BoundedWait {
  /** The wait is counted with its key, and ends with it. */
  who: Holder;
  timeoutMs: Millis;
  /** Each ends the wait like its timeout. */
  ends: readonly AbortSignal[];
}

/**
 * Runs a wait in a place of its key.
 * @param wait resolves once its signal aborts, at the latest
 * @throws ApiError rate_limited at the bound, invalid_key where the key ends during the wait
 */
export const waitInPlace = async <T>(
  places: ListeningPlaces,
  { who, timeoutMs, ends }: BoundedWait,
  wait: (end: AbortSignal) => Promise<T>,
): Promise<T> => {
  const place = places.take(who);
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timeoutMs);
  try {
    const result = await wait(AbortSignal.any([over.signal, place.ended, ...ends]));
    if (place.ended.aborted || !(await place.isLive())) throw new ApiError('invalid_key');
    return result;
  } finally {
    clearTimeout(timer);
    place.release();
  }
};
