/** How many waits and live streams one key may hold open: each is memory and a connection for as long as it lasts. */

import { ApiError } from '../kernel/errors.ts';

export const PLACES_PER_KEY = 20;

export interface ListeningPlaces {
  /**
   * @returns what gives the place back; calling it again does nothing
   * @throws ApiError rate_limited where `who` holds as many as one may
   */
  take(who: string): () => void;
}

export const createListeningPlaces = (most = PLACES_PER_KEY): ListeningPlaces => {
  const taken = new Map<string, number>();
  return {
    take: (who) => {
      const count = taken.get(who) ?? 0;
      if (count >= most) {
        throw new ApiError('rate_limited', {
          hint: `A key holds at most ${most} waits and event streams open at once. End one of them first.`,
          headers: { 'retry-after': '1' },
        });
      }
      taken.set(who, count + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (taken.get(who) ?? 1) - 1;
        if (left === 0) taken.delete(who);
        else taken.set(who, left);
      };
    },
  };
};
