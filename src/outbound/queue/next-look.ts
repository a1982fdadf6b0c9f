/** When the queue worker reads the queue again. */

import { type Millis, SECOND } from '../../kernel/clock.ts';

/** The longest pause between two looks: another process (the CLI) may have inserted rows. */
export const LOOK_AGAIN_MS: Millis = 5 * SECOND;

/**
 * @param times when rows come due, and when destinations that deliveries wait for may be used
 * @param lookedAt the clock's time by which the last look decided what may go. A time up to it was left for lack of
 *   memory or of room in the active queue, which the end of an attempt brings; a later one is due, even if it has
 *   passed by now
 * @returns milliseconds from `now`
 */
export const nextLookIn = (times: Iterable<Millis>, lookedAt: Millis, now: Millis): Millis => {
  const soonest = Math.min(...[...times].filter((at) => at > lookedAt), Number.POSITIVE_INFINITY);
  return Math.min(Math.max(soonest - now, 0), LOOK_AGAIN_MS);
};
