/** An event of a calendar as day and facts. Its text is the sender's. */

import type { Answer } from '../api/client.ts';

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

const nameOf = (person: string): string => person.replace(/\s*<[^<>]*>$/, '');

export const EventCard = ({ event }: { event: EventFacts }) => {
  const { title, kind, day, when, repeats, where, organizer, attendees, accepted } = event;
  const people = [
    ...(organizer === '' ? [] : [`${nameOf(organizer)} asks`]),
    ...(attendees > 0 ? [`${accepted} of ${attendees} have accepted`] : []),
  ].join('; ');
  return (
    <section class="invite" aria-label={kind}>
      <Day day={day} />
      <div>
        <p class="strong tell">
          <bdi>{title}</bdi>
        </p>
        <p>
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
