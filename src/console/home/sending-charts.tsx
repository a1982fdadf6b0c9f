/** Four small charts of some days. Rate scales are fixed, so that a threshold keeps its height. */

import { useState } from 'preact/hooks';
import type { Answer } from '../api/client.ts';
import { Heads, Section } from '../components/blocks.tsx';
import { count, percent, shortDay } from '../components/format.ts';
import { Badge } from '../components/marks.tsx';
import { Bars, RateLine } from './plots.tsx';

export type Health = Answer<'home', 'sending'>;

/** As the guide has them: the pause line stands at five sixths of the height. */
const BOUNCE_SCALE = 0.12;
const COMPLAINT_SCALE = 0.0036;

const sum = (days: Health['days'], of: 'received' | 'sent' | 'delivered'): number =>
  days.reduce((total, day) => total + day[of], 0);

/** @param isFew whether there were too few recipients for a rate */
const stateOf = (rate: number, throttle: number, pause: number, isFew: boolean) => {
  if (isFew) return <span class="dim">not judged yet</span>;
  if (rate >= pause) return <Badge mark="bad">over the pause line</Badge>;
  if (rate >= throttle) return <Badge mark="warn">over the throttle line</Badge>;
  return <Badge mark="ok">under both lines</Badge>;
};

const Ticks = ({ days }: { days: Health['days'] }) => (
  <div class="ticks" aria-hidden="true">
    <span>{shortDay(days[0]?.day ?? '')}</span>
    <span>{shortDay(days[Math.floor(days.length / 2)]?.day ?? '').replace(/ .*/, '')}</span>
    <span>today</span>
  </div>
);

const DayTable = ({ days }: { days: Health['days'] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
  <section class="tw" tabIndex={0} aria-label="Sending by day">
    <table class="dense">
      <caption class="sr">Sending by day, in UTC</caption>
      <Heads
        of={[
          'Day (UTC)',
          '#Received',
          '#Sent',
          '#Delivered',
          '#Bounced',
          '#Complaints',
          '#Bounce rate',
          '#Complaint rate',
        ]}
      />
      <tbody>
        {days.toReversed().map((day) => (
          <tr key={day.day}>
            <th scope="row">{shortDay(day.day)}</th>
            <td class="num">{count(day.received)}</td>
            <td class="num">{count(day.sent)}</td>
            <td class="num">{count(day.delivered)}</td>
            <td class="num">{count(day.bounced)}</td>
            <td class="num">{count(day.complained)}</td>
            <td class="num">{percent(day.bounce_rate)}</td>
            <td class="num">{percent(day.complaint_rate, 2)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

export const SendingCharts = ({ health }: { health: Health }) => {
  const [isTable, setTable] = useState(false);
  const { days, rates, lines } = health;
  const today = days.at(-1);
  const [received, sent, delivered] = [sum(days, 'received'), sum(days, 'sent'), sum(days, 'delivered')];
  const isFew = rates.recipients < lines.minimum_recipients;
  return (
    <Section
      title={`Mail, last ${days.length} days`}
      wideNote={
        <>
          All agents; the bounce rate counts wrong addresses at other hosts
          {isFew && `, from ${lines.minimum_recipients} recipients on: ${count(rates.recipients)} so far`}
        </>
      }
      end={
        <button type="button" class="link" onClick={() => setTable(!isTable)}>
          {isTable ? 'As charts' : 'As a table'}
        </button>
      }
    >
      {isTable ? (
        <DayTable days={days} />
      ) : (
        <div class="charts">
          <figure class="chart">
            <figcaption>
              <span>Received</span>
              <b>{count(received)}</b>
              <small>{count(today?.received ?? 0)} today</small>
            </figcaption>
            <Bars
              label={`Received per day, ${count(received)} in ${days.length} days`}
              values={days.map((day) => day.received)}
            />
            <Ticks days={days} />
          </figure>
          <figure class="chart">
            <figcaption>
              <span>Sent</span>
              <b>{count(sent)}</b>
              <small>{sent === 0 ? 'nothing sent' : `${percent(delivered / sent)} delivered`}</small>
            </figcaption>
            <Bars
              label={`Sent per day and what arrived, ${count(sent)} and ${count(delivered)} in ${days.length} days`}
              values={days.map((day) => day.delivered)}
              behind={days.map((day) => day.sent)}
            />
            <Ticks days={days} />
          </figure>
          <figure class="chart">
            <figcaption>
              <span>Bounce rate, 7 days</span>
              <b>{percent(rates.bounces)}</b>
              <small>{stateOf(rates.bounces, lines.throttle_bounces, lines.pause_bounces, isFew)}</small>
            </figcaption>
            <RateLine
              name="Bounce rate"
              scale={BOUNCE_SCALE}
              digits={0}
              rate={rates.bounces}
              values={days.map((day) => day.bounce_rate)}
              throttle={lines.throttle_bounces}
              pause={lines.pause_bounces}
            />
            <Ticks days={days} />
          </figure>
          <figure class="chart">
            <figcaption>
              <span>Complaint rate, 7 days</span>
              <b>{percent(rates.complaints, 2)}</b>
              <small>{stateOf(rates.complaints, lines.throttle_complaints, lines.pause_complaints, isFew)}</small>
            </figcaption>
            <RateLine
              name="Complaint rate"
              scale={COMPLAINT_SCALE}
              digits={1}
              rate={rates.complaints}
              values={days.map((day) => day.complaint_rate)}
              throttle={lines.throttle_complaints}
              pause={lines.pause_complaints}
            />
            <Ticks days={days} />
          </figure>
        </div>
      )}
    </Section>
  );
};
