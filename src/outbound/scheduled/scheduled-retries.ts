/** The retry schedule of scheduled sends that failed by a fault of the instance. */

import { HOUR, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';

/** After each failed attempt; about 8 hours in all, in which an operator can repair the instance. */
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
