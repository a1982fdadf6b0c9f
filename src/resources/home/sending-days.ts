/** Counts by UTC day from the hourly outcomes, and the rates of the 7 days that end with each. */

import { DAY, HOUR, type Millis } from '../../kernel/clock.ts';
import { formatDay, startOfDay } from '../../kernel/utc-period.ts';
import { RATES_WINDOW_MS, type Rates, toRates } from '../../outbound/gate/reputation-state.ts';
import type { Outcomes } from '../../store/sending/outcomes.ts';
import type { DayView } from './contract.ts';

type Hour = Outcomes & { hour: Millis };

const NONE: Outcomes = {
  ended: 0,
  mails: 0,
  sent: 0,
  delivered: 0,
  bounced: 0,
  complained: 0,
  replyBounced: 0,
  replyComplained: 0,
};
const COUNTED = Object.keys(NONE) as (keyof Outcomes)[];

/** The UTC day of a row. One that a resume has closed within its hour stands an hour before that time. */
const dayOf = (hour: Millis): Millis => startOfDay(hour % HOUR === 0 ? hour : hour + HOUR);

const addUp = (hours: readonly Hour[]): Outcomes => {
  const sum = { ...NONE };
  for (const hour of hours) for (const name of COUNTED) sum[name] += hour[name];
  return sum;
};

/** The first of so many UTC days that end today. */
export const firstDay = (now: Millis, shown: number): Millis => now - (now % DAY) - (shown - 1) * DAY;

/** The first hour that {@link toDays} needs. */
export const firstHour = (now: Millis, shown: number): Millis => firstDay(now, shown) - RATES_WINDOW_MS;

/**
 * The gate's rates at that time, so that a curve's last point equals the figure above it.
 * @param ratesFrom the last resume; earlier outcomes do not count
 */
const ratesAt = (hours: readonly Hour[], at: Millis, ratesFrom: Millis): Rates => {
  const since = Math.max(at - RATES_WINDOW_MS, ratesFrom <= at ? ratesFrom : 0);
  return toRates(addUp(hours.filter(({ hour }) => hour > since - HOUR && hour <= at)));
};

/** @param hours from {@link firstHour} on @param received by the first millisecond of a day */
export const toDays = (
  hours: readonly Hour[],
  received: ReadonlyMap<Millis, number>,
  ratesFrom: Millis,
  now: Millis,
  shown: number,
): { days: DayView[]; rates: Rates } => {
  const byDay = Map.groupBy(hours, ({ hour }) => dayOf(hour));
  const first = firstDay(now, shown);
  const days = Array.from({ length: shown }, (_day, at) => {
    const day = first + at * DAY;
    const sums = toRates(addUp(byDay.get(day) ?? []));
    const { bounceRate, complaintRate } = ratesAt(hours, Math.min(now, day + DAY - 1), ratesFrom);
    return {
      day: formatDay(day),
      received: received.get(day) ?? 0,
      sent: sums.outcomes.sent,
      delivered: sums.outcomes.delivered,
      bounced: sums.bounces,
      complained: sums.complaints,
      bounce_rate: bounceRate,
      complaint_rate: complaintRate,
    };
  });
  return { days, rates: ratesAt(hours, now, ratesFrom) };
};
