/** Bounds the waits and event streams that one key holds open: each takes memory and a connection. */

import { LISTENERS_PER_KEY } from '../budget/budget.ts';
import { type Pool, takeSlot } from '../budget/budget-pool.ts';
import type { Millis } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Holder, Revocations } from './revocations.ts';

const TOO_MANY = `A key holds at most ${LISTENERS_PER_KEY} waits and event streams open at once. End one of them first.`;

export interface ListeningSlot {
  /** Aborted when the key ends. */
  readonly ended: AbortSignal;
  /** Whether the key is still valid, so that a result may be returned. */
  isLive(): Promise<boolean>;
  /** Idempotent. */
  release(): void;
}

export interface ListeningSlots {
  /** @throws ApiError rate_limited at the bound */
  take(holder: Holder): ListeningSlot;
}

export const createListeningSlots = (revocations: Revocations, pool: Pool): ListeningSlots => ({
  take: (holder) => {
    const lease = takeSlot(pool, { key: holder.keyId }, TOO_MANY);
    const over = new AbortController();
    const unsubscribe = revocations.onEnd(holder, () => over.abort());
    return {
      ended: over.signal,
      isLive: () => revocations.isLive(holder),
      release: () => {
        unsubscribe();
        lease.release();
      },
    };
  },
});

export interface BoundedWait {
  /** The wait is counted with its key, and ends with it. */
  who: Holder;
  timeoutMs: Millis;
  /** Each ends the wait like its timeout. */
  ends: readonly AbortSignal[];
}

/**
 * Runs a wait in a slot of its key.
 * @param wait resolves once its signal aborts, at the latest
 * @throws ApiError rate_limited at the bound, invalid_key where the key ends during the wait
 */
export const waitInSlot = async <T>(
  slots: ListeningSlots,
  { who, timeoutMs, ends }: BoundedWait,
  wait: (end: AbortSignal) => Promise<T>,
): Promise<T> => {
  const slot = slots.take(who);
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timeoutMs);
  try {
    const result = await wait(AbortSignal.any([over.signal, slot.ended, ...ends]));
    if (slot.ended.aborted || !(await slot.isLive())) throw new ApiError('invalid_key');
    return result;
  } finally {
    clearTimeout(timer);
    slot.release();
  }
};
