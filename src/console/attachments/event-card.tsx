/** An event of a calendar as day and facts. Its text is the sender's. */

import type { Answer } from '../api/client.ts';
import { clockTime, dayAndTime } from '../components/format.ts';

type EventFacts = Extract<Answer<'mail', 'preview'>, { kind: 'events' }>['events'][number];

const part = (day: string, options: Intl.DateTimeFormatOptions): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { ...options, timeZone: 'UTC' });

const Day = ({ day }: { day: string | null }) => {
  const isDay = day !== null && !Number.isNaN(Date.parse(`${day}T00:00:00Z`));
  return (
    <p class="day" aria-hidden="true">
      {isDay && part(day, { weekday: 'short' })}
      <b>{isDay ? part(day, { day: 'numeric' }) : '?'}</b>
      {isDay && part(day, { month: 'short' })}
    </p>
  );
};

const MINUTE = 60_000;

/** `YYYY-MM-DD` of the reader. */
const localDay = (time: string): string => {
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE).toISOString().slice(0, 10);
};

/** As `14 Dec 10:00 to 11:30, your time`; null where the calendar's own words tell the reader's time. */
const readersTime = ({ starts, ends }: EventFacts): string | null => {
  if (starts === null || new Date(starts).getTimezoneOffset() === 0) return null;
  const begin = dayAndTime(starts);
  if (ends === null || ends === starts) return `${begin}, your time`;
  const end = localDay(ends) === localDay(starts) ? clockTime(Date.parse(ends)) : dayAndTime(ends);
  return `${begin} to ${end}, your time`;
};

const nameOf = (person: string): string => person.replace(/\s*<[^<>]*>$/, '');

export const EventCard = ({ event }: { event: EventFacts }) => {
  const { title, kind, day, when, starts, repeats, where, organizer, attendees, accepted } = event;
  const here = readersTime(event);
  const people = [
    ...(organizer === '' ? [] : [`${nameOf(organizer)} asks`]),
    ...(attendees > 0 ? [`${accepted} of ${attendees} have accepted`] : []),
  ].join('; ');
  return (
    <section class="invite" aria-label={kind}>
      <Day day={here === null || starts === null ? day : localDay(starts)} />
      <div>
        <p class="strong tell">
          <bdi>{title}</bdi>
        </p>
        {here !== null && <p>{here}</p>}
        <p class={here === null ? undefined : 'dim small'}>
          <bdi>{when === '' ? 'No time is told' : when}</bdi>
          {repeats !== '' && <span class="mono small"> {repeats}</span>}
        </p>
        <p>
          <bdi>{[where, people].filter((each) => each !== '').join('. ')}</bdi>
        </p>
      </div>
      <span class="badge">{kind}</span>
    </section>
  );
};
