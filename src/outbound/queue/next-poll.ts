/** Computes when the queue worker polls the queue again. */

import { type Millis, SECOND } from '../../kernel/clock.ts';

/** The longest pause between two polls: another process (the CLI) may have inserted rows. */
export const POLL_MS: Millis = 5 * SECOND;

/**
 * @param times when rows come due, and when awaited destinations may be used
 * @param polledAt the clock's time of the last poll. A row due up to then was left for lack of memory or room, and the
 * end of an attempt starts the next poll. A row due later is polled for, even if its time has passed by now
 * @returns milliseconds from `now`
 */
export const nextPollIn = (times: Iterable<Millis>, polledAt: Millis, now: Millis): Millis => {
  const soonest = Math.min(...[...times].filter((at) => at > polledAt), Number.POSITIVE_INFINITY);
  return Math.min(Math.max(soonest - now, 0), POLL_MS);
};
