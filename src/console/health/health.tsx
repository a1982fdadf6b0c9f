/** Health: sending by day, by receiving organisation and by agent, and the rest of the quota. */

import { Link, useSearchParams } from 'wouter-preact';
import { type Answer, api } from '../api/client.ts';
import { toCsv } from '../api/csv.ts';
import { useAnswer, useReloadAfter } from '../api/loaded.ts';
import { save } from '../api/save.ts';
import { Callout, Empty, Section, Show, Table } from '../components/blocks.tsx';
import { Button, ButtonLink } from '../components/controls.tsx';
import { count, percent, plural, shortDay } from '../components/format.ts';
import { Segments } from '../components/inputs.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { Bars } from '../home/plots.tsx';
import { type Health, SendingCharts } from '../home/sending-charts.tsx';
import { meaningOf } from './meaning.ts';
import { Share, Spark } from './spark.tsx';

type Parts = Answer<'home', 'health'>;
type Lines = Health['lines'];

const RANGES = [7, 14, 90] as const;

const sum = (days: readonly number[]): number => days.reduce((total, each) => total + each, 0);
const bouncesOf = ({ days }: Parts['agents'][number]): number => sum(days.map(({ bounced }) => bounced));

/** The cause in a sentence, with a link: the agent with most of the bounces. */
const Cause = ({ health, parts }: { health: Health; parts: Parts }) => {
  const { rates, lines } = health;
  const isFew = rates.recipients < lines.minimum_recipients;
  const isBounces = rates.bounces >= lines.throttle_bounces;
  if (isFew || (!isBounces && rates.complaints < lines.throttle_complaints)) return null;
  const isPause = isBounces ? rates.bounces >= lines.pause_bounces : rates.complaints >= lines.pause_complaints;
  const [worst] = parts.agents.toSorted((one, other) => bouncesOf(other) - bouncesOf(one));
  const all = sum(parts.agents.map(bouncesOf));
  const isTold = isBounces && worst !== undefined && all > 0;
  return (
    <Callout
      tone={isPause ? 'bad' : 'warn'}
      icon="fail"
      end={isTold && <ButtonLink class="small end" href={`/agents/${worst.agent}`} words={`See ${worst.agent}`} />}
    >
      <p>
        <b>
          {isBounces
            ? `Bounces stand at ${percent(rates.bounces)}`
            : `Complaints stand at ${percent(rates.complaints, 2)}`}
          , over the {isPause ? 'pause' : 'throttle'} line
          {isTold ? `: ${worst.agent} has ${count(bouncesOf(worst))} of ${plural(all, 'bounce')}.` : '.'}
        </b>{' '}
        {isBounces && isTold && 'It writes to addresses that do not exist.'}
      </p>
      <p class="dim">
        {isBounces
          ? 'Clean its list of recipients; what bounced is not written to again.'
          : 'Write to those alone who asked for it; who complained is not written to again.'}
      </p>
    </Callout>
  );
};

const Hosts = ({ hosts, lines }: { hosts: Parts['hosts']; lines: Lines }) => (
  <Section title="By receiving organisation" wideNote="what they said, most often first">
    <Table
      heads={['Organisation', '#Ended', 'Refused', '#Put off']}
      of={hosts}
      class="health"
      empty={
        <Empty icon="globe" title="No host has answered yet">
          Once mail goes out, what each receiving organisation replied stands here.
        </Empty>
      }
    >
      {({ organisation, ended, refused, deferred, replies }) => (
        <tr key={organisation}>
          <td class="full top">
            <span class="strong">{organisation === '' ? 'Others' : organisation}</span>
            <ul class="why-lines">
              {replies.map(({ kind, codes, count: times, said }) => {
                const { words, href } = meaningOf(kind, codes);
                return (
                  <li key={`${kind} ${codes}`}>
                    <span class="num">{count(times)}</span>
                    <span>
                      <bdi class="mono">{said ?? codes}</bdi> {href ? <Link href={href}>{words}</Link> : words}
                    </span>
                  </li>
                );
              })}
            </ul>
          </td>
          <td class="num wide-only top">{count(ended)}</td>
          <td class="wide-col top">
            <Share
              share={ended === 0 ? 0 : refused / ended}
              throttle={lines.throttle_bounces}
              pause={lines.pause_bounces}
            />
          </td>
          <td class="num top">
            {count(deferred)}
            <span class="phone"> put off</span>
          </td>
        </tr>
      )}
    </Table>
  </Section>
);

const Agents = ({ agents, lines }: { agents: Parts['agents']; lines: Lines }) => {
  const most = Math.max(1, ...agents.flatMap(({ days }) => days.map(({ sent }) => sent)));
  return (
    <Section title="By agent" wideNote="bars are sends by day, red what bounced">
      <Table heads={['Agent', 'Sends', '#Sent', 'Bounced', '#Received']} of={agents} class="sparks">
        {({ agent, days }) => {
          const sent = sum(days.map((day) => day.sent));
          const bounced = sum(days.map((day) => day.bounced));
          return (
            <tr key={agent}>
              <td>
                <Link class="strong" href={`/agents/${agent}`}>
                  {agent}
                </Link>
              </td>
              <td>
                <Spark days={days} most={most} />
              </td>
              <td class="num">
                {count(sent)}
                <span class="phone"> sent</span>
              </td>
              <td class="wide-col">
                <Share
                  share={sent === 0 ? 0 : Math.min(1, bounced / sent)}
                  throttle={lines.throttle_bounces}
                  pause={lines.pause_bounces}
                />
              </td>
              <td class="num wide-only">{count(sum(days.map((day) => day.received)))}</td>
            </tr>
          );
        }}
      </Table>
    </Section>
  );
};

const Usage = ({ usage: { days, month, forecast, included } }: { usage: Parts['usage'] }) => (
  <Section
    title="Use of the plan"
    wideNote={included === null ? 'mails a day' : 'sends a day; a reply counts as a tenth'}
  >
    <div class="panel">
      <p>
        <b>{count(month)}</b> this month{included === null ? '' : ` of ${count(included)}`}. At the pace of the last 7
        days it is {count(forecast)} by its end
        {included === null ? '.' : forecast > included ? ', more than the plan includes.' : ', within the plan.'}
      </p>
      <Bars label={`Sends per day, ${count(month)} this month`} values={days.map(({ used }) => used)} />
      <div class="ticks" aria-hidden="true">
        <span>{shortDay(days[0]?.day ?? '')}</span>
        <span>today</span>
      </div>
    </div>
  </Section>
);

const toRows = ({ days }: Health): (string | number)[][] => [
  ['day', 'received', 'sent', 'delivered', 'bounced', 'complained', 'bounce_rate', 'complaint_rate'],
  ...days.map((day) => [
    ...[day.day, day.received, day.sent, day.delivered, day.bounced, day.complained],
    ...[day.bounce_rate.toFixed(4), day.complaint_rate.toFixed(4)],
  ]),
];

export const HealthPage = () => {
  const [query, setQuery] = useSearchParams();
  const wanted = Number(query.get('days') ?? 14);
  const days = RANGES.find((each) => each === wanted) ?? 14;
  const health = useAnswer(api.home.sending, { days });
  const parts = useAnswer(api.home.health, { days });
  useReloadAfter(/^(workspace\.|message\.bounced$)/, health, parts);
  return (
    <>
      <TitleRow title="Health" context={<span class="dim wide-only">all agents, days in UTC</span>}>
        <Segments
          label="Days"
          value={days}
          options={RANGES.map(
            (each) =>
              [
                each,
                <>
                  {each}
                  <span class="wide-only"> days</span>
                </>,
              ] as const,
          )}
          onChange={(wanted) => setQuery({ days: `${wanted}` })}
        />
        <Button
          words="Export CSV"
          class="wide-only"
          disabled={health.value === null}
          onClick={() => health.value && save([toCsv(toRows(health.value))], { name: 'health.csv', type: 'text/csv' })}
        />
      </TitleRow>
      <div class="page">
        <div class="holds-rest" aria-busy={(!health.value && !health.failure) || (!parts.value && !parts.failure)}>
          {health.value && parts.value && <Cause health={health.value} parts={parts.value} />}
        </div>
        <div class="held-charts">
          <Show loaded={health} what="The counts by day" shape="charts" lines={6}>
            {(found) => <SendingCharts health={found} />}
          </Show>
        </div>
        <Show loaded={parts} what="The parts of sending" shape="table" lines={12}>
          {({ hosts, agents, usage }) => (
            <>
              {health.value && <Hosts hosts={hosts} lines={health.value.lines} />}
              {health.value && <Agents agents={agents} lines={health.value.lines} />}
              <Usage usage={usage} />
            </>
          )}
        </Show>
      </div>
    </>
  );
};
