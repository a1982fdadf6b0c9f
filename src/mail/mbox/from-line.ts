/** The From_ line that begins each message of an mbox (RFC 4155): the envelope sender and the time of delivery. */

import type { Millis } from '../../kernel/clock.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Stands for the null sender, and for a sender that is not one word. */
const NO_SENDER = 'MAILER-DAEMON';

/** @returns the line with its LF, the time in UTC as asctime has it */
export const formatFromLine = (sender: string, at: Millis): string => {
  const time = new Date(at);
  const word = /^[^\s\p{Cc}]{1,320}$/u.test(sender) ? sender : NO_SENDER;
  const date = `${DAYS[time.getUTCDay()]} ${MONTHS[time.getUTCMonth()]} ${String(time.getUTCDate()).padStart(2)}`;
  const year = String(time.getUTCFullYear()).padStart(4, '0');
  return `From ${word} ${date} ${time.toISOString().slice(11, 19)} ${year}\n`;
};

const DAY_NAME = `(?:${DAYS.join('|')})`;
const MONTH_NAME = `(?:${MONTHS.join('|')})`;
/** The exact form of RFC 4155: no text looks like it, so it also ends a message without a final line end. */
const EXACT = new RegExp(`^From [^\\s]+ ${DAY_NAME} ${MONTH_NAME} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d \\d{4}$`);
/** As other programs write it: with a zone, without seconds, in the form of RFC 5322. */
const LIKELY = new RegExp(`^From .{0,400}\\b${DAY_NAME}\\b.{0,40}\\b\\d\\d?:\\d\\d\\b`);
const DATE = new RegExp(`\\b${DAY_NAME}\\b.*$`);

export interface FromLine {
  /** Its time; null where none can be read. */
  at: Millis | null;
  isExact: boolean;
}

const part = (text: string, pattern: RegExp): string | null => pattern.exec(text)?.[1] ?? null;

const readTime = (line: string): Millis | null => {
  const text = DATE.exec(line)?.[0] ?? '';
  const clock = /\b(\d\d?):(\d\d)(?::(\d\d))?\b/.exec(text);
  if (!clock) return null;
  const rest = text.replace(clock[0], ' ');
  const month = MONTHS.indexOf(part(rest, new RegExp(`\\b(${MONTH_NAME})\\b`)) ?? '');
  const year = part(rest, /\b(\d{4})\b(?<![+-]\d{4})/);
  const day = part(rest, /\b(\d{1,2})\b/);
  if (month < 0 || year === null || day === null) return null;
  const zone = /([+-])(\d\d)(\d\d)\b/.exec(rest);
  const behind = zone ? (Number(zone[2]) * 60 + Number(zone[3])) * (zone[1] === '-' ? 1 : -1) : 0;
  const [, hours, minutes, seconds = '0'] = clock;
  const at = Date.UTC(Number(year), month, Number(day), Number(hours), Number(minutes) + behind, Number(seconds));
  // Thunderbird writes 1965 where it knows none.
  return at > 0 ? at : null;
};

/** @param line without its line end; null where it is no From_ line */
export const readFromLine = (line: string): FromLine | null => {
  const isExact = EXACT.test(line);
  return isExact || LIKELY.test(line) ? { at: readTime(line), isExact } : null;
};
