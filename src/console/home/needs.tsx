/** The owner's tasks: each with its reason, its age, and one act. Without any, the list of what was checked. */

import type { ComponentChildren } from 'preact';
import { isStale, type Need, type Overview, overview } from '../api/overview.ts';
import { Section } from '../components/blocks.tsx';
import { ButtonLink } from '../components/controls.tsx';
import { ago, plural, shortTime, until } from '../components/format.ts';
import { Icon, Mark } from '../components/marks.tsx';
import { SkeletonLines } from '../components/states.tsx';
import { ResumeSending } from './resume-sending.tsx';

interface RowProps extends Pick<Need, 'title' | 'body'> {
  mark: 'bad' | 'warn' | 'wait';
  when: string;
  act: ComponentChildren;
}

const Row = ({ mark, title, body, when, act }: RowProps) => (
  <li>
    <span class={`mk ${mark === 'wait' ? 'accent' : mark}`}>
      <Mark name={mark} />
    </span>
    <div>
      <b>{title}</b>
      <p>{body}</p>
    </div>
    <span class="when">{when}</span>
    {act}
  </li>
);

const LOOKS: Readonly<Record<Need['kind'], readonly [mark: 'bad' | 'warn', act: string]>> = {
  paused: ['bad', 'Resume'],
  unverified: ['bad', 'See the owners'],
  domain: ['bad', 'Mend records'],
  webhook: ['warn', 'See why'],
  throttled: ['warn', 'Resume'],
  over_line: ['warn', 'See health'],
};

const NeedRow = ({ need: { kind, title, body, path, since } }: { need: Need }) => {
  const [mark, act] = LOOKS[kind];
  return (
    <Row
      {...{ mark, title, body, when: since === null ? '' : `since ${shortTime(since)}` }}
      act={kind === 'paused' || kind === 'throttled' ? <ResumeSending /> : <ButtonLink href={path} words={act} />}
    />
  );
};

const oldestWords = (at: string): string => {
  const age = ago(at);
  return age === 'now' ? 'just now' : `oldest ${age}`;
};

const HeldRow = ({
  held: { count, agents, oldest_at, next_expiry_at },
}: {
  held: NonNullable<Overview['heldMail']>;
}) => (
  <Row
    {...{ mark: 'wait', when: oldestWords(oldest_at) }}
    title={`${plural(count, 'message')} ${count === 1 ? 'waits' : 'wait'} for your decision`}
    body={`${agents.map((each) => `${each.agent} ${each.count}`).join(', ')}. The ${count === 1 ? 'message' : 'oldest'} expires in ${until(next_expiry_at)}; expired mail is not sent.`}
    act={<ButtonLink href="/approvals" words="Review" />}
  />
);

export const Needs = () => {
  const shown = overview.value;
  const needs = shown?.needs ?? [];
  const held = shown?.heldMail ?? null;
  const things = needs.length + (held ? 1 : 0);
  return (
    <Section
      class="needs"
      aria-busy={!shown}
      title="Needs you"
      note={things > 0 && (things === 1 ? '1 thing' : `${things} things, the most urgent first`)}
      end={isStale.value && 'Not fresh: the last look failed'}
    >
      {!shown && <SkeletonLines lines={2} />}
      {things > 0 && (
        <ul class="rows">
          {needs.map((need) => (
            <NeedRow key={need.key} need={need} />
          ))}
          {held && <HeldRow held={held} />}
        </ul>
      )}
      {shown && things === 0 && (
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
