/** The retry schedule of deliveries, and their lifetime in the queue (RFC 5321 section 4.5.4.1). */

import { DAY, HOUR, MINUTE, type Millis } from '../../kernel/clock.ts';

/** Queue lifetime: RFC 5321 section 4.5.4.1 asks for at least 4 to 5 days. */
const GIVE_UP_AFTER_MS = 5 * DAY;

const DELAYS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR];
const LATER_DELAY = 6 * HOUR;
/** ±20 %: deliveries that failed together are not retried together. */
const JITTER = 0.2;

/**
 * @param attempts attempts made so far, 1 or more
 * @param createdAt when the delivery was accepted
 * @param spread from 0 to 1, a random number
 * @returns when the next attempt is due, or null once the delivery is older than {@link GIVE_UP_AFTER_MS}
 */
export const nextAttemptTime = (attempts: number, createdAt: Millis, now: Millis, spread: number): Millis | null => {
  if (now - createdAt >= GIVE_UP_AFTER_MS) return null;
  const delay = DELAYS[attempts - 1] ?? LATER_DELAY;
  return now + Math.round(delay * (1 - JITTER + 2 * JITTER * spread));
};
