/** Formats an invitation (iCalendar, RFC 5545; its methods, RFC 5546) as a few lines of text. */

import { DAY } from '../../kernel/clock.ts';
import { type Property, parseProperty, unescapeText } from '../../kernel/text/content-line.ts';
import { formatDay, parseDay } from '../../kernel/utc-period.ts';
import { decodePart } from '../mime/charset.ts';

/** Octets of a calendar that are parsed, and events that are formatted. */
const MAX_OCTETS = 256 * 1024;
const MAX_EVENTS = 10;
const MAX_VALUE = 2000;
const MAX_DESCRIPTION = 20_000;
/** People who are named; the others are counted. */
const MAX_PEOPLE = 20;
/** Characters of a line on a card. */
const MAX_TITLE = 300;

type CalendarEvent = Map<string, Property[]>;

const TITLES: Record<string, string> = {
  REQUEST: 'Invitation',
  PUBLISH: 'Event',
  CANCEL: 'Cancelled',
  REPLY: 'Reply to invitation',
  COUNTER: 'Proposed change',
  DECLINECOUNTER: 'Proposal declined',
};

/** Commas divide values; some writers leave one in a name without quotes. */
const readParameter = ({ parameters }: Property, name: string): string => parameters.get(name)?.join(', ') ?? '';

const readCalendar = (text: string): { method: string; events: CalendarEvent[] } => {
  const events: CalendarEvent[] = [];
  let method = '';
  const open: string[] = [];
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const property = parseProperty(line);
    if (!property) continue;
    const { name } = property;
    const event = events.at(-1);
    if (name === 'BEGIN') {
      open.push(property.value.trim().toUpperCase());
      if (/^V(?:EVENT|TODO)$/.test(open.at(-1) ?? '')) {
        if (events.length === MAX_EVENTS) break;
        events.push(new Map());
      }
    } else if (name === 'END') open.pop();
    else if (name === 'METHOD') method = property.value.trim().toUpperCase();
    else if (event && /^V(?:EVENT|TODO)$/.test(open.at(-1) ?? '')) {
      const known = event.get(name);
      if (known) known.push(property);
      else event.set(name, [property]);
    }
  }
  return { method, events };
};

const readText = (event: CalendarEvent, name: string, max = MAX_VALUE): string =>
  unescapeText(event.get(name)?.[0]?.value ?? '')
    .slice(0, max)
    .trim();

interface Time {
  day: string;
  /** '' for an all-day event. */
  time: string;
  zone: string;
}

/** Parses a date or date-time property; an invalid value is returned verbatim as the day. */
const readTime = (event: CalendarEvent, name: string): Time | null => {
  const property = event.get(name)?.[0];
  if (!property) return null;
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}(Z)?)?$/.exec(property.value.trim());
  if (!match) return { day: property.value.trim().slice(0, 60), time: '', zone: '' };
  const [, year, month, day, hour, minute, utc] = match;
  const zone = utc ? 'UTC' : readParameter(property, 'TZID').slice(0, 80);
  return { day: `${year}-${month}-${day}`, time: hour === undefined ? '' : `${hour}:${minute}`, zone };
};

/** ISO 8601 of a time in UTC; null for one of another zone, or of none. */
const toInstant = (time: Time | null): string | null => {
  const at = time?.zone === 'UTC' ? Date.parse(`${time.day}T${time.time}Z`) : Number.NaN;
  return Number.isNaN(at) ? null : new Date(at).toISOString();
};

const formatTime = ({ day, time, zone }: Time): string =>
  `${day}${time === '' ? '' : ` ${time}`}${zone === '' ? '' : ` (${zone})`}`;

/** The day before `2026-11-20`; any other text stays as it is. */
const toDayBefore = (day: string): string => {
  const at = parseDay(day);
  return at === null ? day : formatDay(at - DAY);
};

/**
 * Formats `2026-11-20 14:00 to 15:00 (Europe/Berlin)`. The end of an all-day event is exclusive, so its last day is the
 * day before.
 */
const formatTimes = (start: Time | null, end: Time | null): string => {
  if (!start) return '';
  if (!end || (end.day === start.day && end.time === start.time)) return formatTime(start);
  if (end.day === start.day && end.zone === start.zone) {
    return formatTime({ ...start, time: `${start.time} to ${end.time}` });
  }
  if (start.time !== '' || end.time !== '') return `${formatTime(start)} to ${formatTime(end)}`;
  const lastDay = toDayBefore(end.day);
  return lastDay === start.day ? start.day : `${start.day} to ${lastDay}`;
};

const formatPerson = (property: Property): string => {
  const address = property.value
    .trim()
    .replace(/^mailto:/i, '')
    .slice(0, 254);
  const name = readParameter(property, 'CN').slice(0, 200);
  return name === '' || name === address ? address : `${name} <${address}>`;
};

/** Some services cancel by the event's status alone (RFC 5545 section 3.8.1.11). */
const titleOf = (event: CalendarEvent, method: string): string => {
  const isCancelled = method !== 'REPLY' && readText(event, 'STATUS').toUpperCase() === 'CANCELLED';
  return TITLES[isCancelled ? 'CANCEL' : method] ?? 'Event';
};

const describe = (event: CalendarEvent, method: string, hasDescription: boolean): string => {
  const people = (name: string): string => {
    const all = event.get(name) ?? [];
    const more = all.length - MAX_PEOPLE;
    return [...all.slice(0, MAX_PEOPLE).map(formatPerson), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  };
  const [attendee] = method === 'REPLY' ? (event.get('ATTENDEE') ?? []) : [];
  const fields: [label: string, value: string][] = [
    [titleOf(event, method), readText(event, 'SUMMARY') || '(no title)'],
    ['When', formatTimes(readTime(event, 'DTSTART') ?? readTime(event, 'DUE'), readTime(event, 'DTEND'))],
    ['Repeats', readText(event, 'RRULE')],
    ['Where', readText(event, 'LOCATION')],
    ['Organizer', people('ORGANIZER')],
    ['Attendees', people('ATTENDEE')],
    ['Answer', attendee ? readParameter(attendee, 'PARTSTAT').toLowerCase() : ''],
    ['Comment', readText(event, 'COMMENT')],
    ['Link', readText(event, 'URL')],
  ];
  const lines = fields.filter(([, value]) => value !== '').map(([label, value]) => `${label}: ${value}`);
  const description = hasDescription ? readText(event, 'DESCRIPTION', MAX_DESCRIPTION) : '';
  return [lines.join('\n'), ...(description === '' ? [] : [description])].join('\n\n');
};

const parse = (content: Buffer) => readCalendar(decodePart(content.subarray(0, MAX_OCTETS), null, false));

/** @returns '' without an event */
export const describeCalendar = (content: Buffer, hasDescription: boolean): string => {
  const { method, events } = parse(content);
  return events.map((event) => describe(event, method, hasDescription)).join('\n\n');
};

/** An event of a calendar; a text is '' where the calendar does not tell it. */
export interface EventCard {
  /** As `Invitation`, `Cancelled`. */
  kind: string;
  title: string;
  /** `YYYY-MM-DD`; null where the start is no date. */
  day: string | null;
  when: string;
  /** Where `when` is in UTC, as ISO 8601: a reader's own time can be told. */
  starts: string | null;
  ends: string | null;
  repeats: string;
  where: string;
  organizer: string;
  attendees: number;
  accepted: number;
}

export const readEventCards = (content: Buffer): EventCard[] => {
  const { method, events } = parse(content);
  return events.map((event) => {
    const start = readTime(event, 'DTSTART') ?? readTime(event, 'DUE');
    const end = readTime(event, 'DTEND');
    const attendees = event.get('ATTENDEE') ?? [];
    const [organizer] = event.get('ORGANIZER') ?? [];
    return {
      kind: titleOf(event, method),
      title: readText(event, 'SUMMARY', MAX_TITLE) || '(no title)',
      day: start && /^\d{4}-\d\d-\d\d$/.test(start.day) ? start.day : null,
      when: formatTimes(start, end),
      starts: toInstant(start),
      ends: toInstant(end),
      repeats: readText(event, 'RRULE', MAX_TITLE),
      where: readText(event, 'LOCATION', MAX_TITLE),
      organizer: organizer ? formatPerson(organizer) : '',
      attendees: attendees.length,
      accepted: attendees.filter((attendee) => /^accepted$/i.test(readParameter(attendee, 'PARTSTAT'))).length,
    };
  });
};
