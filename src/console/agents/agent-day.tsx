/** A day of one agent: its mail by the hour, its last sends with their state, what was held, the secrets that it read, what woke it. */

import { useState } from 'preact/hooks';
import { useLocation, useParams, useSearch } from 'wouter-preact';
import { type Answer, api } from '../api/client.ts';
import { useAnswer, useLive } from '../api/loaded.ts';
import { overview } from '../api/overview.ts';
import { Heads, Section, Show } from '../components/blocks.tsx';
import { Button } from '../components/controls.tsx';
import { clockTime, count, longDay, plural } from '../components/format.ts';
import { TitleRow } from '../frame/bar.tsx';
import { AgentHead } from './agent-tabs.tsx';
import { DayLanes } from './day-lanes.tsx';
import { DayFacts, Holds, Secrets, Sends, Wakes } from './day-lists.tsx';

type Day = Answer<'agentDay', 'get'>;

const midnight = (at: number): number => new Date(at).setHours(0, 0, 0, 0);
const nextMidnight = (at: number): number => new Date(midnight(at)).setHours(24, 0, 0, 0);
const dayBefore = (at: number): number => midnight(midnight(at) - 1);

/** The reader's day, in the address's form. */
const toText = (at: number): string => {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
};
const readDay = (text: string | null): number => {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? '') ?? [];
  const at = year === undefined ? Date.now() : new Date(Number(year), Number(month) - 1, Number(day)).getTime();
  return midnight(Math.min(at, Date.now()));
};

const DayPick = ({ at, pick }: { at: number; pick: (day: number) => void }) => (
  <>
    <Button kind="quiet" icon="back" label="The day before" onClick={() => pick(dayBefore(at))} />
    <input
      class="input day-input"
      type="date"
      aria-label={`Day: ${longDay(at)}`}
      max={toText(Date.now())}
      value={toText(at)}
      onChange={({ currentTarget }) => currentTarget.value !== '' && pick(readDay(currentTarget.value))}
    />
    <Button
      kind="quiet"
      icon="out"
      label="The day after"
      disabled={nextMidnight(at) > Date.now()}
      onClick={() => pick(nextMidnight(at))}
    />
  </>
);

const Hours = ({ day, since }: { day: Day; since: number }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
  <section class="tw" tabIndex={0} aria-label="Mail by the hour">
    <table class="dense">
      <caption class="sr">Mail by the hour, in your time</caption>
      <Heads of={['Hour', '#In', '#Out']} />
      <tbody>
        {day.hours.map((hour, at) => (
          <tr key={at}>
            <th scope="row">{clockTime(since + at * 3_600_000)}</th>
            <td class="num">{count(hour.in)}</td>
            <td class="num">{count(hour.out)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

export const AgentDay = () => {
  const { agent = '' } = useParams<{ agent: string }>();
  const [, go] = useLocation();
  const since = readDay(new URLSearchParams(useSearch()).get('on'));
  const until = nextMidnight(since);
  const [isTable, setTable] = useState(false);
  const shown = overview.value?.agents.find(({ handle }) => handle === agent);
  const loaded = useAnswer(api.agentDay.get, {
    agent,
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
  });
  useLive(
    (event) => event === null || /^(message|approval)\./.test(event.event),
    () => {
      if (until > Date.now()) void loaded.reload();
    },
  );
  const pick = (day: number): void =>
    go(`/agents/${agent}/day${day === midnight(Date.now()) ? '' : `?on=${toText(day)}`}`, { replace: true });
  return (
    <>
      <TitleRow
        title={agent}
        tab={`Day of ${agent}`}
        context={<AgentHead handle={agent} current="Day" agent={shown} />}
      >
        <span class="wide-only line">
          <DayPick at={since} pick={pick} />
        </span>
      </TitleRow>
      <div class="page">
        <div class="line phone-bar daypick">
          <DayPick at={since} pick={pick} />
        </div>
        <Show loaded={loaded} what="The day" lines={14}>
          {(day) => (
            <>
              <Section
                title="In and out"
                wideNote={`${longDay(since)}, by the hour, your time; ${plural(day.in + day.out, 'message')}`}
                end={
                  <button type="button" class="link" onClick={() => setTable(!isTable)}>
                    {isTable ? 'As a chart' : 'As a table'}
                  </button>
                }
              >
                {isTable ? <Hours day={day} since={since} /> : <DayLanes day={day} since={since} until={until} />}
              </Section>
              <DayFacts day={day} />
              <div class="split">
                <Sends agent={agent} day={day} />
                <div class="stack">
                  <Holds agent={agent} holds={day.holds} />
                  <Secrets secrets={day.secrets} />
                  <Wakes wakes={day.wakes} />
                </div>
              </div>
            </>
          )}
        </Show>
      </div>
    </>
  );
};
