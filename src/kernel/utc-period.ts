/** Days and months in UTC, independent of the server's time zone. */

import { DAY, type Millis } from './clock.ts';

/** `2026-11-21`. */
export const formatDay = (at: Millis): string => new Date(at).toISOString().slice(0, 10);
/** The start of `2026-11-21`; null for any other text. Date.parse alone reads 30 February as a day in March. */
export const parseDay = (text: string): Millis | null => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(at) || formatDay(at) !== text ? null : at;
};
/** `2026-11`. */
export const formatMonth = (at: Millis): string => new Date(at).toISOString().slice(0, 7);

export const startOfDay = (at: Millis): Millis => at - (at % DAY);
export const nextDay = (at: Millis): Millis => startOfDay(at) + DAY;

export const nextMonth = (at: Millis): Millis => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
};
