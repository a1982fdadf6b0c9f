/** Formats an invitation (iCalendar, RFC 5545; its methods, RFC 5546) as a few lines of text. */

import { decodePart } from '../mime/charset.ts';

/** Octets of a calendar that are parsed, and events that are formatted. */
const MAX_OCTETS = 256 * 1024;
const MAX_EVENTS = 10;
const MAX_VALUE = 2000;
const MAX_DESCRIPTION = 20_000;
const MAX_ATTENDEES = 20;

interface Property {
  parameters: Map<string, string>;
  value: string;
}

type CalendarEvent = Map<string, Property[]>;

const TITLES: Record<string, string> = {
  REQUEST: 'Invitation',
  PUBLISH: 'Event',
  CANCEL: 'Cancelled',
  REPLY: 'Reply to invitation',
  COUNTER: 'Proposed change',
  DECLINECOUNTER: 'Proposal declined',
};

const plainText = (text: string): string =>
  text.replace(/\\([\\;,nN])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character));

/** Parses `NAME;PARAMETER="x":value`; null for any other line. */
const readLine = (line: string): { name: string; property: Property } | null => {
  let quoted = false;
  let colon = -1;
  const stops: number[] = [];
  for (let at = 0; at < line.length && colon < 0; at += 1) {
    const character = line.charAt(at);
    if (character === '"') quoted = !quoted;
    else if (!quoted && character === ';') stops.push(at);
    else if (!quoted && character === ':') colon = at;
  }
  if (colon < 1) return null;
  const parameters = new Map<string, string>();
  for (const [index, stop] of stops.entries()) {
    const [name = '', ...value] = line.slice(stop + 1, stops[index + 1] ?? colon).split('=');
    parameters.set(name.toUpperCase(), value.join('=').replace(/^"|"$/g, ''));
  }
  const name = line.slice(0, stops[0] ?? colon).toUpperCase();
  return { name, property: { parameters, value: line.slice(colon + 1) } };
};

const readCalendar = (text: string): { method: string; events: CalendarEvent[] } => {
  const events: CalendarEvent[] = [];
  let method = '';
  const open: string[] = [];
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const read = readLine(line);
    if (!read) continue;
    const { name, property } = read;
    const event = events.at(-1);
    if (name === 'BEGIN') {
      open.push(property.value.trim().toUpperCase());
      if (/^V(?:EVENT|TODO)$/.test(open.at(-1) ?? '')) {
        if (events.length === MAX_EVENTS) break;
        events.push(new Map());
      }
    } else if (name === 'END') open.pop();
    else if (name === 'METHOD') method = property.value.trim().toUpperCase();
    else if (event && /^V(?:EVENT|TODO)$/.test(open.at(-1) ?? ''))
      event.set(name, [...(event.get(name) ?? []).slice(0, MAX_ATTENDEES), property]);
  }
  return { method, events };
};

const readText = (event: CalendarEvent, name: string, max = MAX_VALUE): string =>
  plainText(event.get(name)?.[0]?.value ?? '')
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
  const zone = utc ? 'UTC' : (property.parameters.get('TZID') ?? '').slice(0, 80);
  return { day: `${year}-${month}-${day}`, time: hour === undefined ? '' : `${hour}:${minute}`, zone };
};

const formatTime = ({ day, time, zone }: Time): string =>
  `${day}${time === '' ? '' : ` ${time}`}${zone === '' ? '' : ` (${zone})`}`;

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
  const before = Date.parse(`${end.day}T00:00:00Z`) - 24 * 60 * 60 * 1000;
  const lastDay = Number.isFinite(before) ? new Date(before).toISOString().slice(0, 10) : end.day;
  return lastDay === start.day ? start.day : `${start.day} to ${lastDay}`;
};

const formatPerson = ({ parameters, value }: Property): string => {
  const address = value
    .trim()
    .replace(/^mailto:/i, '')
    .slice(0, 254);
  const name = parameters.get('CN')?.slice(0, 200) ?? '';
  return name === '' || name === address ? address : `${name} <${address}>`;
};

const describe = (event: CalendarEvent, method: string): string => {
  const people = (name: string): string => (event.get(name) ?? []).map(formatPerson).join(', ');
  const answer = method === 'REPLY' ? event.get('ATTENDEE')?.[0]?.parameters.get('PARTSTAT')?.toLowerCase() : undefined;
  const fields: [label: string, value: string][] = [
    [TITLES[method] ?? 'Event', readText(event, 'SUMMARY') || '(no title)'],
    ['When', formatTimes(readTime(event, 'DTSTART') ?? readTime(event, 'DUE'), readTime(event, 'DTEND'))],
    ['Repeats', readText(event, 'RRULE')],
    ['Where', readText(event, 'LOCATION')],
    ['Organizer', people('ORGANIZER')],
    ['Attendees', people('ATTENDEE')],
    ['Answer', answer ?? ''],
    ['Link', readText(event, 'URL')],
  ];
  const lines = fields.filter(([, value]) => value !== '').map(([label, value]) => `${label}: ${value}`);
  const description = readText(event, 'DESCRIPTION', MAX_DESCRIPTION);
  return [lines.join('\n'), ...(description === '' ? [] : [description])].join('\n\n');
};

/** @returns '' without an event */
export const describeCalendar = (content: Buffer): string => {
  const { method, events } = readCalendar(decodePart(content.subarray(0, MAX_OCTETS), null, false));
  return events.map((event) => describe(event, method)).join('\n\n');
};
