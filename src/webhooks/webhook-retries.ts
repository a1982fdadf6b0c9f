/** The retry schedule of failed webhook deliveries. */

import { HOUR, MINUTE, type Millis, SECOND } from '../kernel/clock.ts';

const DELAYS: readonly Millis[] = [30 * SECOND, 2 * MINUTE, 8 * MINUTE, 30 * MINUTE, 2 * HOUR];
/** ±10 %, so that simultaneous failures are not retried simultaneously. */
const SPREAD = 0.1;
/** Retention of a disabled endpoint's events, and the longest Retry-After that is followed. */
export const RETAINED_FOR_MS: Millis = 7 * 24 * HOUR;

/**
 * @param attempts made so far, 1 or more
 * @param asked the receiver's Retry-After in milliseconds, followed exactly; null: none
 * @param spread from 0 up to, not including, 1
 * @returns epoch milliseconds; null after the last attempt
 */
export const nextWebhookAttempt = (
  attempts: number,
  now: Millis,
  asked: Millis | null,
  spread: number,
): Millis | null => {
  const delay = DELAYS[attempts - 1];
  if (delay === undefined) return null;
  return now + (asked ?? Math.round(delay * (1 - SPREAD + 2 * SPREAD * spread)));
};
