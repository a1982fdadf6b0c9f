/** The owner's tasks: each with its reason, its age, and one act. Without any, the list of what was checked. */

import { api } from '../api/client.ts';
import { isStale, loadOverview, type Need, overview } from '../api/overview.ts';
import { loadSession, workspace } from '../api/session.ts';
import { Section, SkeletonLines } from '../components/blocks.tsx';
import { Button, ButtonLink } from '../components/controls.tsx';
import { ask } from '../components/dialog.tsx';
import { plural, shortTime, until } from '../components/format.ts';
import { Icon, Mark } from '../components/marks.tsx';

/** Ends a pause or throttle. Earlier bounces no longer count, so the reader must confirm. */
const askToResume = (): void =>
  ask({
    title: `Resume sending for “${workspace.value?.name}”?`,
    verb: 'Resume sending',
    isDanger: false,
    text: (
      <p>
        Bounces and complaints so far count against it no more. Where the same mail goes out again, other hosts may
        refuse all mail of its domains: stop what bounced first.
      </p>
    ),
    run: async () => {
      await api.workspaces.resume({});
      await Promise.all([loadSession(), loadOverview()]);
      return 'Sending is resumed';
    },
  });

const ResumeSending = () => <Button words="Resume sending" onClick={askToResume} />;

/** Without words of an act: what stops sending is resumed on the spot. */
const LOOKS: Readonly<Record<Need['kind'], readonly [mark: 'bad' | 'warn' | 'wait', act: string | null]>> = {
  paused: ['bad', null],
  unverified: ['bad', 'See the owners'],
  domain: ['bad', 'Mend records'],
  webhook: ['warn', 'See why'],
  throttled: ['warn', null],
  over_line: ['warn', 'See health'],
  held: ['wait', 'Review'],
};

const whenOf = ({ since, until: end }: Need): string => {
  if (end !== null) return `expires in ${until(end)}`;
  return since === null ? 'now' : `since ${shortTime(since)}`;
};

const NeedRow = ({ need }: { need: Need }) => {
  const [mark, act] = LOOKS[need.kind];
  return (
    <li>
      <span class={`mk ${mark === 'wait' ? 'accent' : mark}`}>
        <Mark name={mark} />
      </span>
      <div>
        <b>{need.title}</b>
        <p>{need.body}</p>
      </div>
      <span class="when">{whenOf(need)}</span>
      {act === null ? <ResumeSending /> : <ButtonLink href={need.path} words={act} />}
    </li>
  );
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
      {needs.length > 0 && (
        <ul class="rows">
          {needs.map((need) => (
            <NeedRow key={need.key} need={need} />
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
