/** The owner's tasks: each with its reason, its age, and one act. Without any, the list of what was checked. */

import type { ComponentChildren } from 'preact';
import { isStale, type Need, overview } from '../api/overview.ts';
import { Section } from '../components/blocks.tsx';
import { ButtonLink } from '../components/controls.tsx';
import { ago, percent, plural, shortTime, shownUrl, until } from '../components/format.ts';
import { Icon, Mark, type MarkName } from '../components/marks.tsx';
import { SkeletonLines } from '../components/states.tsx';
import { ResumeSending } from './resume-sending.tsx';

interface RowProps {
  mark: MarkName;
  colour: 'bad' | 'warn' | 'accent';
  title: ComponentChildren;
  children: ComponentChildren;
  when: string;
  act: ComponentChildren;
}

const Row = ({ mark, colour, title, children, when, act }: RowProps) => (
  <li>
    <span class={`mk ${colour}`}>
      <Mark name={mark} />
    </span>
    <div>
      <b>{title}</b>
      <p>{children}</p>
    </div>
    <span class="when">{when}</span>
    {act}
  </li>
);

const WORDS: Readonly<Record<string, string>> = {
  mx: 'MX',
  dkim: 'DKIM',
  spf: 'SPF',
  dmarc: 'DMARC',
  ownership: 'ownership',
  mta_sts: 'MTA-STS',
  tls_rpt: 'TLS-RPT',
};

const listProblems = (problems: Extract<Need, { kind: 'domain' }>['problems']): string => {
  const words = problems.map(({ purpose, status }) => `${WORDS[purpose] ?? purpose} is ${status}`);
  return words.length === 0 ? 'Its last check found its name servers wrong.' : `Its last check: ${words.join(', ')}.`;
};

const rateWords = ({
  reason,
  bounce_rate,
  complaint_rate,
}: Extract<Need, { kind: 'paused' | 'throttled' | 'over_line' }>): string => {
  if (reason === 'bounce_rate') return `Bounces reached ${percent(bounce_rate)} of the last 7 days.`;
  if (reason === 'complaint_rate') return `Complaints reached ${percent(complaint_rate, 2)} of the last 7 days.`;
  if (reason === 'owner') return 'An owner paused it.';
  return reason === 'operator' ? 'The operator paused it.' : `It was paused: ${reason ?? 'no reason was given'}.`;
};

const oldestWords = (at: string): string => {
  const age = ago(at);
  return age === 'now' ? 'just now' : `oldest ${age}`;
};

const NeedRow = ({ need }: { need: Need }) => {
  switch (need.kind) {
    case 'paused':
      return (
        <Row
          {...{ mark: 'bad', colour: 'bad', title: 'Sending is paused', when: `since ${shortTime(need.since)}` }}
          act={<ResumeSending />}
        >
          {rateWords(need)} Every send is refused until you resume.
        </Row>
      );
    case 'throttled':
      return (
        <Row
          {...{ mark: 'warn', colour: 'warn', title: 'Sending is throttled', when: `since ${shortTime(need.since)}` }}
          act={<ResumeSending />}
        >
          {rateWords(need)} Cold mail leaves at one a minute for each agent; replies are not slowed.
        </Row>
      );
    case 'over_line':
      return (
        <Row
          mark="warn"
          colour="warn"
          title="Sending is over a line"
          when="now"
          act={<ButtonLink href="/health" words="See health" />}
        >
          {rateWords(need)} The next bad outcome slows or stops it.
        </Row>
      );
    case 'unverified':
      return (
        <Row
          {...{ mark: 'bad', colour: 'bad', title: 'Nothing may be sent yet', when: `since ${shortTime(need.since)}` }}
          act={<ButtonLink href="/people" words="See the owners" />}
        >
          The address <span class="mono">{need.owner_email || 'of its owner'}</span> is not verified. A sign-in link
          that is mailed to it, and used, verifies it.
        </Row>
      );
    case 'domain':
      return (
        <Row
          {...{ mark: 'bad', colour: 'bad', when: need.since ? `since ${shortTime(need.since)}` : '' }}
          title={
            <>
              <span class="mono">{need.domain}</span> cannot send
            </>
          }
          act={<ButtonLink href={`/domains/${need.domain}`} words="Mend records" />}
        >
          {listProblems(need.problems)}
        </Row>
      );
    case 'webhook':
      return (
        <Row
          {...{ mark: 'warn', colour: 'warn', when: `since ${shortTime(need.since)}` }}
          title={need.reason === 'approval' ? 'A webhook waits for you' : 'A webhook is off'}
          act={<ButtonLink href={`/webhooks/${need.webhook_id}`} words="See why" />}
        >
          <span class="mono">{shownUrl(need.url)}</span>{' '}
          {need.reason === 'approval'
            ? 'was set up by an agent whose mail is held. It is told nothing until you allow it in Approvals.'
            : `${need.reason === 'gone' ? 'answered 410 Gone.' : `failed ${plural(need.failure_count, 'time')} in a row.`} Its events are held.`}
        </Row>
      );
    case 'held':
      return (
        <Row
          {...{ mark: 'wait', colour: 'accent', when: oldestWords(need.oldest_at) }}
          title={`${plural(need.count, 'message')} ${need.count === 1 ? 'waits' : 'wait'} for your decision`}
          act={<ButtonLink href="/approvals" words="Review" />}
        >
          {need.agents.map(({ agent, count }) => `${agent ?? 'a removed agent'} ${count}`).join(', ')}. The{' '}
          {need.count === 1 ? 'message' : 'oldest'} expires in {until(need.next_expiry_at)}; expired mail is not sent.
        </Row>
      );
  }
};

export const Needs = () => {
  const shown = overview.value;
  const needs = shown?.needs ?? [];
  return (
    <Section
      class="needs"
      aria-busy={!shown}
      title="Needs you"
      note={needs.length > 0 && (needs.length === 1 ? '1 thing' : `${needs.length} things, the most urgent first`)}
      end={isStale.value && 'Not fresh: the last look failed'}
    >
      {!shown && <SkeletonLines lines={2} />}
      {shown && needs.length > 0 && (
        <ul class="rows">
          {needs.map((need) => (
            <NeedRow
              key={need.kind === 'domain' ? need.domain_id : need.kind === 'webhook' ? need.webhook_id : need.kind}
              need={need}
            />
          ))}
        </ul>
      )}
      {shown && needs.length === 0 && (
        <div class="calm">
          <Icon name="check" />
          <div>
            <b class="strong">Nothing needs you</b>
            <p>
              No message waits, {plural(shown.lookedAt.domains, 'domain')} and{' '}
              {plural(shown.lookedAt.webhooks, 'webhook')} were looked at, and sending is neither paused nor throttled.
            </p>
          </div>
        </div>
      )}
    </Section>
  );
};
