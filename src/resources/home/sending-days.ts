/** Counts by UTC day from the hourly outcomes, and the rates of the week that ends with each. */

import { DAY, type Millis } from '../../kernel/clock.ts';
import { formatDay } from '../../kernel/utc-period.ts';
import type { Outcomes } from '../../store/sending/outcomes.ts';
import type { DayView } from './contract.ts';

const SHOWN_DAYS = 14;
const WEEK = 7;

type Counts = Pick<DayView, 'sent' | 'delivered' | 'bounced' | 'complained'> & { ended: number };

const NONE: Counts = { sent: 0, delivered: 0, bounced: 0, complained: 0, ended: 0 };

const add = (sum: Counts, { sent, delivered, bounced, complained, ended }: Counts): Counts => ({
  sent: sum.sent + sent,
  delivered: sum.delivered + delivered,
  bounced: sum.bounced + bounced,
  complained: sum.complained + complained,
  ended: sum.ended + ended,
});

const toCounts = (hour: Outcomes): Counts => ({
  sent: hour.sent,
  delivered: hour.delivered,
  ended: hour.ended,
  bounced: hour.bounced + hour.replyBounced,
  complained: hour.complained + hour.replyComplained,
});

const share = (count: number, of: number): number => (of === 0 ? 0 : count / of);

/** The beginning of the hours that {@link toDays} needs. */
export const firstHour = (now: Millis): Millis => now - (now % DAY) - (SHOWN_DAYS + WEEK - 2) * DAY;

/** @param hours from {@link firstHour} on */
export const toDays = (hours: readonly (Outcomes & { hour: Millis })[], now: Millis): DayView[] => {
  const today = now - (now % DAY);
  const byDay = Map.groupBy(hours, ({ hour }) => hour - (hour % DAY));
  const of = (day: Millis): Counts => (byDay.get(day) ?? []).map(toCounts).reduce(add, NONE);
  return Array.from({ length: SHOWN_DAYS }, (_day, at) => {
    const day = today - (SHOWN_DAYS - 1 - at) * DAY;
    const week = Array.from({ length: WEEK }, (_day, back) => of(day - back * DAY)).reduce(add, NONE);
    const { sent, delivered, bounced, complained } = of(day);
    return {
      day: formatDay(day),
      sent,
      delivered,
      bounced,
      complained,
      bounce_rate: share(week.bounced, week.ended),
      complaint_rate: share(week.complained, week.ended),
    };
  });
};
