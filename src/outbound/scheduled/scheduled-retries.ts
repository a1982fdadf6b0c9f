/** When a booking that failed by a fault of the instance is tried again. */

import { HOUR, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';

/** After each failed attempt. Together some 8 hours: long enough for a person to mend what is wrong. */
const PAUSES_MS: readonly Millis[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
];

/**
 * @param attempts failed attempts so far, 1 or more
 * @returns the pause before the next, or null where there is none
 */
export const pauseAfter = (attempts: number): Millis | null => PAUSES_MS[attempts - 1] ?? null;
