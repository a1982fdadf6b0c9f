/** Waits for a person's decision on a held mail: woken by its event, nothing is polled. */

import { ApiError } from '../kernel/errors.ts';
import type { PendingId } from '../kernel/ids.ts';
import type { ListeningPlaces } from './listening-places.ts';
import type { Events } from './publish-events.ts';
import type { WaitOptions } from './wait-for-mail.ts';

export interface DecisionWaits {
  /**
   * Resolves once an event of the held mail comes, or at the timeout.
   * @param isDecided asked once the wait listens, so that no decision is missed between the two
   * @throws ApiError rate_limited at the bound of concurrent waits, invalid_key where the key ends during the wait
   */
  wait(id: PendingId, isDecided: () => Promise<boolean>, options: WaitOptions): Promise<void>;
  /** Ends all waits like their timeouts. */
  close(): void;
}

export const createDecisionWaits = (needs: { events: Events; places: ListeningPlaces }): DecisionWaits => {
  const closing = new AbortController();
  return {
    close: () => closing.abort(),
    wait: async (id, isDecided, { who, timeoutMs, signal }) => {
      const place = needs.places.take(who);
      const decided = new AbortController();
      const unsubscribe = needs.events.subscribe(({ name, data }) => {
        const isOf = name.startsWith('approval.') && (data as { pending_id?: string }).pending_id === id;
        if (isOf && name !== 'approval.requested') decided.abort();
      });
      const timer = setTimeout(() => decided.abort(), timeoutMs);
      try {
        const end = AbortSignal.any([decided.signal, closing.signal, place.ended, ...(signal ? [signal] : [])]);
        const ended = new Promise<void>((resolve) => {
          if (end.aborted) resolve();
          end.addEventListener('abort', () => resolve(), { once: true });
        });
        if (!(await isDecided())) await ended;
        if (place.ended.aborted || !(await place.isLive())) throw new ApiError('invalid_key');
      } finally {
        clearTimeout(timer);
        unsubscribe();
        place.release();
      }
    },
  };
};
