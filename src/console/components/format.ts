/** Times in the reader's zone, numbers with a thin space, sizes, shares. */

import { signal } from '@preact/signals';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const THIN_SPACE = '\u2009';

/** Updates itself, so that "4 min" stays correct. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 30_000);

const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => new Intl.DateTimeFormat('en-GB', options);
const clock = format({ hour: '2-digit', minute: '2-digit' });
const seconds = format({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
const weekday = format({ weekday: 'short' });
const longWeekday = format({ weekday: 'long' });
const day = format({ day: 'numeric', month: 'short' });
const dayOfYear = format({ day: 'numeric', month: 'short', year: 'numeric' });
const whole = format({ dateStyle: 'full', timeStyle: 'long' });
const today = format({ weekday: 'long', day: 'numeric', month: 'long' });

const beginningOfDay = (at: number): number => new Date(at).setHours(0, 0, 0, 0);
/** Midnights of the reader from that time until now, negative for one to come. */
const daysSince = (at: number): number => Math.round((beginningOfDay(now.value) - beginningOfDay(at)) / DAY);
/** The reader's midnight, as the service takes it. */
export const todayBegan = (): string => new Date(beginningOfDay(Date.now())).toISOString();

/** 14:02, Wed, 19 Nov, 19 Nov 2025: as short as it is clear. */
export const shortTime = (text: string): string => {
  const at = Date.parse(text);
  const days = daysSince(at);
  if (days === 0) return clock.format(at);
  if (days > 0 && days < 7) return weekday.format(at);
  return new Date(at).getFullYear() === new Date(now.value).getFullYear() ? day.format(at) : dayOfYear.format(at);
};

/** Today 14:02, Wed 14:02, 19 Nov 14:02. */
export const dayAndTime = (text: string): string => {
  const at = Date.parse(text);
  return `${daysSince(at) === 0 ? 'Today' : shortTime(text)} ${clock.format(at)}`;
};

/** 14:02. */
export const clockTime = (at: number): string => clock.format(at);
/** Wednesday 19 November. */
export const longDay = (at: number): string => today.format(at);
export const timeWithSeconds = (text: string): string => seconds.format(Date.parse(text));
export const wholeTime = (text: string): string => whole.format(Date.parse(text));
export const thisDay = (): string => `${longDay(now.value)}, ${clockTime(now.value)}`;
/** Formats a UTC day, given as YYYY-MM-DD. */
export const shortDay = (text: string): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(Date.parse(text));

/** now, 4 min, 2 h, 3 d. */
const span = (ms: number): string => {
  if (ms < MINUTE) return 'now';
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  const days = Math.floor(ms / DAY);
  const hours = Math.floor((ms % DAY) / HOUR);
  return days < 3 && hours > 0 ? `${days} d ${hours} h` : `${days} d`;
};

export const ago = (text: string): string => span(Math.max(0, now.value - Date.parse(text)));
/** Until a time to come: "4 days" of the calendar, "3 h". */
export const until = (text: string): string => {
  const ms = Math.max(0, Date.parse(text) - now.value);
  return ms >= 2 * DAY ? `${-daysSince(Date.parse(text))} days` : span(ms);
};

export const count = (value: number): string => Math.round(value).toLocaleString('en').replaceAll(',', THIN_SPACE);
export const money = (value: number): string => value.toFixed(2);
/** 0.104 as "10.4 %". */
export const percent = (share: number, digits = 1): string => `${(share * 100).toFixed(digits)} %`;
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export const size = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
};

/** Host and path: a query may contain private data. */
export const shownUrl = (url: string): string => url.replace(/^https:\/\//, '').replace(/[?#].*$/, '');

/** Today, a day of this week, or its date. */
export const dayOf = (text: string): string => {
  const at = Date.parse(text);
  const days = daysSince(at);
  if (days <= 0) return 'Today';
  return days < 7 ? longWeekday.format(at) : day.format(at);
};

const TABLE = /\|\s*:?-{2,}|^\s*\||\|\s+\|/;
/** A snippet without the lines of a table in Markdown. */
export const withoutTable = (text: string): string =>
  TABLE.test(text)
    ? text
        .replace(/\|\s*:?-{2,}:?\s*(?=\||$)/g, '|')
        .replace(/[\s|]*\|[\s|]*/g, ' ')
        .trim()
    : text;

/** A snippet without the marks of Markdown. */
export const plainWords = (text: string): string =>
  withoutTable(text)
    .replace(/!?\[([^\]]*\p{Ll}[^\]]*)\](?:\([^)]*\))?/gu, '$1')
    .replace(/(?<=^|\s)(?:#{1,6}|>|[-*+]|```\w*)(?=\s|$)\s*/g, '')
    .replace(/(\*\*|__|~~|`|\*|(?<![\p{L}\p{N}])_)(?=\S)(.+?)(?<=\S)\1/gu, '$2');
