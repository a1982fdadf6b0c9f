/** Waits for a person's decision on a held mail; its event ends the wait, without polling. */

import type { PendingId } from '../kernel/ids.ts';
import { type ListeningSlots, waitInSlot } from './listening-slots.ts';
import type { Events } from './publish-events.ts';
import type { WaitOptions } from './wait-for-mail.ts';

export interface DecisionWaits {
  /**
   * Resolves at an event of the held mail, or at the timeout.
   * @param isDecided called once the wait listens, so that no decision is missed between the two
   * @throws ApiError rate_limited at the bound of concurrent waits, invalid_key where the key ends during the wait
   */
  wait(id: PendingId, isDecided: () => Promise<boolean>, options: WaitOptions): Promise<void>;
  /** Ends all waits like their timeouts. */
  close(): void;
}

export const createDecisionWaits = (needs: { events: Events; slots: ListeningSlots }): DecisionWaits => {
  const closing = new AbortController();
  return {
    close: () => closing.abort(),
    wait: (id, isDecided, { who, timeoutMs, signal }) =>
      waitInSlot(needs.slots, { who, timeoutMs, ends: [closing.signal, ...(signal ? [signal] : [])] }, async (end) => {
        const { promise: over, resolve } = Promise.withResolvers<void>();
        const unsubscribe = needs.events.subscribe(({ name, data }) => {
          const isOf = name.startsWith('approval.') && (data as { pending_id?: string }).pending_id === id;
          if (isOf && name !== 'approval.requested') resolve();
        });
        end.addEventListener('abort', () => resolve(), { once: true });
        try {
          if (!end.aborted && !(await isDecided())) await over;
        } finally {
          unsubscribe();
        }
      }),
  };
};
