/** How many waits and live streams one key may hold open: each is memory and a connection for as long as it lasts. */

import { ApiError } from '../kernel/errors.ts';
import type { KeyId } from '../kernel/ids.ts';
import type { KeyEndings } from './key-endings.ts';

const PLACES_PER_KEY = 20;

export interface ListeningPlace {
  /** Aborted once the key has ended. */
  readonly ended: AbortSignal;
  /** Whether what has come may be handed out. */
  isLive(): Promise<boolean>;
  /** Calling it again does nothing. */
  giveBack(): void;
}

export interface ListeningPlaces {
  /** @throws ApiError rate_limited where the key holds as many as one may */
  take(key: KeyId): ListeningPlace;
}

export const createListeningPlaces = (endings: KeyEndings, most = PLACES_PER_KEY): ListeningPlaces => {
  const taken = new Map<KeyId, number>();
  return {
    take: (key) => {
      const count = taken.get(key) ?? 0;
      if (count >= most) {
        throw new ApiError('rate_limited', {
          hint: `A key holds at most ${most} waits and event streams open at once. End one of them first.`,
          headers: { 'retry-after': '1' },
        });
      }
      taken.set(key, count + 1);
      const over = new AbortController();
      const unsubscribe = endings.onEnd(key, () => over.abort());
      let isHeld = true;
      return {
        ended: over.signal,
        isLive: () => endings.isLive(key),
        giveBack: () => {
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
