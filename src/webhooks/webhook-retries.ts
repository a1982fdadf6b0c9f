/** When a failed delivery is tried again. */

import { HOUR, MINUTE, type Millis, SECOND } from '../kernel/clock.ts';

const DELAYS: readonly Millis[] = [30 * SECOND, 2 * MINUTE, 8 * MINUTE, 30 * MINUTE, 2 * HOUR];
/** Retries of many are not to come in one instant. */
const SPREAD = 0.1;
/** Events are held so long at most; nobody waits longer. */
export const RETAINED_FOR_MS: Millis = 7 * 24 * HOUR;

/**
 * How long a receiver asks to be left alone: RFC 9110 section 10.2.3, seconds or a date. Null where it does not say so,
 * or not with a status that it goes with.
 */
export const retryAfterMs = (status: number, retryAfter: string | undefined, now: Millis): Millis | null => {
  if ((status !== 429 && status !== 503) || retryAfter === undefined) return null;
  const text = retryAfter.trim();
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now;
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), RETAINED_FOR_MS);
};

/**
 * @param attempts made so far, 1 or more
 * @param asked what the receiver asked for, kept to the millisecond; null: nothing
 * @param spread from 0 up to, not including, 1
 * @returns epoch milliseconds, or null once there have been enough
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
