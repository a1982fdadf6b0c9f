/** Days and months of quotas, in UTC, independent of the server's time zone. */

import { DAY, type Millis } from './clock.ts';

/** `2026-11-21`. */
export const formatDay = (at: Millis): string => new Date(at).toISOString().slice(0, 10);
/** `2026-11`. */
export const formatMonth = (at: Millis): string => new Date(at).toISOString().slice(0, 7);

export const startOfDay = (at: Millis): Millis => at - (at % DAY);
export const nextDay = (at: Millis): Millis => startOfDay(at) + DAY;

export const nextMonth = (at: Millis): Millis => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
};
