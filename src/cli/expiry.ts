/** Parses times as people write them: when a key ends, and moments of the past. */

import { DAY, HOUR, MINUTE, type Millis } from '../kernel/clock.ts';
import { parseDay } from '../kernel/utc-period.ts';
import { wrongUsage } from './failure.ts';

const UNITS: Readonly<Record<string, Millis>> = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };
const SPAN = /^([1-9][0-9]{0,5})([mhdw])$/;
/** A time without a zone would mean another moment on another machine. */
const MOMENT = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Reads `2027-01-31` (its beginning, UTC) or `2027-01-31T18:00:00Z`; null for any other text. */
export const parseMoment = (text: string): Millis | null => {
  const day = parseDay(MOMENT.exec(text)?.[1] ?? '');
  const at = day === null ? Number.NaN : Date.parse(text);
  return Number.isFinite(at) ? at : null;
};

/**
 * Reads `30d`, `12h`, `2027-01-31` (its beginning, UTC) or `2027-01-31T18:00:00Z`.
 * @throws {CommandError} wrong usage, also for a time in the past
 */
export const parseExpiry = (text: string, now: Millis): Millis => {
  const span = SPAN.exec(text);
  const at = span ? now + Number(span[1]) * (UNITS[span[2] ?? ''] ?? 0) : parseMoment(text);
  if (at === null) throw wrongUsage(`${text} is no time: write 30d, 12h, 2027-01-31 or 2027-01-31T18:00:00Z.`);
  if (at <= now) throw wrongUsage(`${text} is past.`);
  return at;
};
