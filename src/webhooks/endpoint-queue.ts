/**
 * Concurrency window per endpoint: doubles on success up to 16, falls to 1 on failure or above 2 s. Degraded endpoints
 * share a part of all slots, so that however many there are, the others have slots left.
 */

import { type Millis, SECOND } from '../kernel/clock.ts';

const MAX_WINDOW = 16;
const SLOW_MS = 2 * SECOND;

export interface EndpointQueue {
  /** Sequence numbers of the events in flight. */
  readonly inFlight: Set<number>;
  /** How many may be in flight. */
  window: number;
  /** Whether the last attempt failed or was slow. */
  isDegraded: boolean;
  /** When its next event is due that waits for a later attempt; infinite: not known, or none. */
  dueAt: Millis;
}

export const newEndpointQueue = (): EndpointQueue => ({
  inFlight: new Set(),
  window: 1,
  isDegraded: false,
  dueAt: Number.POSITIVE_INFINITY,
});

/** Adjusts the window after an attempt. */
export const adjustWindow = (queue: EndpointQueue, delivered: boolean, durationMs: Millis): void => {
  queue.isDegraded = !delivered || durationMs > SLOW_MS;
  queue.window = queue.isDegraded ? 1 : Math.min(queue.window * 2, MAX_WINDOW);
};

/** Concurrent attempts of all endpoints. */
export interface Slots {
  readonly all: number;
  /** The slots that degraded endpoints may take together. */
  readonly degraded: number;
}

export const SLOTS: Slots = { all: 256, degraded: 192 };

/** How many more attempts an endpoint may start. @param busy all queues with events in flight */
export const freeSlots = (queue: EndpointQueue, busy: Iterable<EndpointQueue>, slots: Slots): number => {
  let taken = 0;
  let degraded = 0;
  for (const { inFlight, isDegraded } of busy) {
    taken += inFlight.size;
    if (isDegraded) degraded += inFlight.size;
  }
  const left = slots.all - taken;
  const own = queue.window - queue.inFlight.size;
  return Math.max(0, Math.min(own, left, queue.isDegraded ? slots.degraded - degraded : left));
};
