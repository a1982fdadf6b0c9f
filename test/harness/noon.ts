/** For tests of what is counted by the day: none of theirs runs over a midnight. */

import { DAY } from '../../src/kernel/clock.ts';

/** Milliseconds from `now` until noon of the next day (UTC). */
export const untilNoon = (now: number): number => DAY - (now % DAY) + DAY / 2;

/** Begins at noon, and goes on as time does; `ahead` moves it. */
export const noonClock = () => {
  const clock = { ahead: untilNoon(Date.now()), now: () => Date.now() + clock.ahead };
  return clock;
};
