/** What an agent sent on a day, what of it was held, the secrets that it read, and what woke it. */

import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import type { Answer } from '../api/client.ts';
import { whyHeld } from '../approvals/why-held.ts';
import { Empty, Fact, Section, Table } from '../components/blocks.tsx';
import { clockTime, count, plural, shortTime } from '../components/format.ts';
import { splitAddress } from '../components/mail-parts.tsx';
import { Badge, type MarkName } from '../components/marks.tsx';

type Day = Answer<'agentDay', 'get'>;
type Hold = Day['holds'][number];

const STATES: Readonly<Record<string, MarkName>> = {
  delivered: 'ok',
  sent: 'wait',
  held: 'wait',
  bounced: 'bad',
  complained: 'bad',
};

/** Sent and waiting mail, the latest first. */
const sendsOf = (agent: string, { sends, holds }: Day) => {
  const went = sends.map(({ message_id: key, ...send }) => ({
    ...send,
    key,
    href: `/agents/${agent}/messages/${key}`,
  }));
  const waits = holds
    .filter(({ status }) => status === 'pending')
    .map(({ pending_id: key, ...held }) => ({ ...held, key, href: `/approvals/${key}`, status: 'held', via: null }));
  return [...went, ...waits].toSorted((one, other) => other.at.localeCompare(one.at));
};

export const Sends = ({ agent, day }: { agent: string; day: Day }) => {
  const sends = sendsOf(agent, day);
  return (
    <Section title="Last sends" end={day.out > day.sends.length && `the last ${day.sends.length} of ${count(day.out)}`}>
      <Table
        heads={['Subject', 'To', 'State', 'By', '#Time']}
        of={sends}
        empty={
          <Empty icon="out" title="Nothing was sent">
            What the agent sends on this day stands here.
          </Empty>
        }
      >
        {({ key, href, subject, to: [first = '', ...others], status, sent_by: by, via, at }) => (
          <tr key={key}>
            <td class="full nowrapper">
              <Link class="strong clip" href={href}>
                <bdi>{subject || '(no subject)'}</bdi>
              </Link>
            </td>
            <td class="full dim">
              <span class="clip">
                <bdi>{splitAddress(first).address}</bdi>
                {others.length > 0 && ` and ${plural(others.length, 'other')}`}
              </span>
            </td>
            <td>
              <Badge mark={STATES[status] ?? 'wait'}>{status}</Badge>
            </td>
            <td class="dim wide-only">{by?.replace(/@.*/, '') ?? via}</td>
            <td class="num faint">
              <time dateTime={at}>{clockTime(Date.parse(at))}</time>
            </td>
          </tr>
        )}
      </Table>
    </Section>
  );
};

interface LedgerProps<Row> {
  of: readonly Row[];
  empty: string;
  children: (row: Row) => { what: ComponentChildren; href?: string | null; more: string | null };
}

/** What happened, and when: a line each. */
const Ledger = <Row extends { at: string }>({ of, empty, children }: LedgerProps<Row>) =>
  of.length === 0 ? (
    <p class="panel dim">{empty}</p>
  ) : (
    <ul class="ledger panel">
      {of.map((row, n) => {
        const { what, href = null, more } = children(row);
        return (
          <li key={n}>
            {href === null ? (
              <span class="clip">{what}</span>
            ) : (
              <Link class="clip" href={href}>
                {what}
              </Link>
            )}
            <time class="faint" dateTime={row.at}>
              {clockTime(Date.parse(row.at))}
            </time>
            {more !== null && <span class="dim small">{more}</span>}
          </li>
        );
      })}
    </ul>
  );

const outcomeOf = (agent: string, { status, reason, decided_by: by, decided_at: at }: Hold): string => {
  if (status === 'pending') return whyHeld({ reason, agent }).short;
  return `${status}${by === null ? '' : ` by ${by.replace(/^[a-z]+:|@.*/g, '')}`}${at === null ? '' : `, ${shortTime(at)}`}`;
};

export const Holds = ({ agent, holds }: Pick<Day, 'holds'> & { agent: string }) => {
  const waiting = holds.filter(({ status }) => status === 'pending').length;
  return (
    <Section
      title="Holds"
      end={waiting > 0 && <Link href="/approvals">{waiting === 1 ? '1 waits' : `${waiting} wait`}</Link>}
    >
      <Ledger of={holds} empty="Nothing was held.">
        {(hold) => ({
          what: <bdi>{hold.subject || '(no subject)'}</bdi>,
          href: hold.status === 'pending' ? `/approvals/${hold.pending_id}` : null,
          more: outcomeOf(agent, hold),
        })}
      </Ledger>
    </Section>
  );
};

export const Secrets = ({ secrets }: Pick<Day, 'secrets'>) => (
  <Section title="Secrets read" end={secrets.length > 0 && plural(secrets.length, 'time')}>
    <Ledger of={secrets} empty="No secret was read.">
      {({ secret, what, via }) => ({
        what: <bdi>{secret}</bdi>,
        more: `${what === 'code' ? 'one-time code' : 'opened'}, ${via}`,
      })}
    </Ledger>
  </Section>
);

const NAMES: Readonly<Record<string, string>> = {
  'message.received': 'Mail',
  'message.bounced': 'A bounce',
  'message.delivered': 'A delivery',
  'approval.approved': 'An approval',
  'approval.rejected': 'A rejection',
  'message.complained': 'A complaint',
};

/** Events that an endpoint of the agent, or of the workspace, was told of. */
export const Wakes = ({ wakes: { woken, failed, events } }: Pick<Day, 'wakes'>) => (
  <Section title="Wakes" end={events.length > 0 && `${count(woken)} by webhook, ${count(failed)} failed`}>
    <Ledger of={events} empty="No webhook told of its mail.">
      {({ event, from, taken }) => ({
        what: (
          <>
            {NAMES[event] ?? <span class="mono">{event}</span>}
            {from !== null && ' from '}
            {from !== null && <bdi>{splitAddress(from).address}</bdi>}
          </>
        ),
        more: taken ? null : 'no endpoint has taken it',
      })}
    </Ledger>
  </Section>
);

const MINUTE_S = 60;
const HOUR_S = 3_600;
const lasting = (seconds: number): string => {
  if (seconds < MINUTE_S) return `${seconds} s`;
  return seconds < HOUR_S ? `${Math.round(seconds / MINUTE_S)} min` : `${(seconds / HOUR_S).toFixed(1)} h`;
};

/** Sends count whole, replies a tenth. */
const sends = (value: number): string => (Number.isInteger(value) ? count(value) : value.toFixed(1));

/** How the day went, in figures. */
export const DayFacts = ({ day: { replied, bounced, out, quota } }: { day: Day }) => (
  <dl class="strip">
    {replied && (
      <div>
        <Fact name="Replied within">
          {lasting(replied.median_seconds)}
          {replied.mails > 1 && `, median of ${count(replied.mails)}`}
        </Fact>
      </div>
    )}
    <div>
      <Fact name="Bounced">
        {count(bounced)} of {count(out)}
      </Fact>
    </div>
    {quota && (
      <div>
        <Fact name="Quota">
          {sends(quota.sent)} of {count(quota.limit)} {quota.per === 'day' ? 'today' : 'this month'}, UTC
          {quota.of_all > quota.sent && `; ${sends(quota.of_all)} by all agents`}
        </Fact>
      </div>
    )}
  </dl>
);
