/** The pause that an HTTP response asks for. */

import { type Millis, SECOND } from '../../kernel/clock.ts';

/**
 * Reads Retry-After (RFC 9110 section 10.2.3), seconds or a date. Null without one, with no time or a date that is past, or
 * with a status other than 429 and 503.
 * @param most the longest pause that is followed
 */
export const readRetryAfter = (
  status: number | null,
  retryAfter: string | null | undefined,
  now: Millis,
  most: Millis,
): Millis | null => {
  if ((status !== 429 && status !== 503) || retryAfter == null) return null;
  const text = retryAfter.trim();
  // A proxy may repeat the field.
  const [seconds] = /^\d{1,10}(?=,|$)/.exec(text) ?? [];
  const wait = seconds === undefined ? Date.parse(text) - now : Number(seconds) * SECOND;
  return wait > 0 ? Math.min(wait, most) : null;
};
