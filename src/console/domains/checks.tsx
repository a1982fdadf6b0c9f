/** The findings of a domain's last check, and the acts on the domain. */

import { type Answer, api } from '../api/client.ts';
import { useAnswer } from '../api/loaded.ts';
import { Section, Time } from '../components/blocks.tsx';
import { type MarkName, TrackMark } from '../components/marks.tsx';
import { type Domain, problemOf } from './dns-record.tsx';

type Act = Answer<'activity', 'list'>['activity'][number];

/** Acts of a domain that the log has. */
const MOST_ACTS = 10;

const DONE: Readonly<Record<string, string>> = {
  'domain.add': 'Added',
  'domain.check': 'Checked',
  'domain.rotate_dkim': 'DKIM key changed',
};

export const Checks = ({ domain }: { domain: Domain }) => {
  const log = useAnswer(
    api.activity.list,
    { action: 'domain', q: domain.domain, limit: MOST_ACTS },
    domain.last_checked_at,
  );
  const problems = domain.records.flatMap((record) => (record.required ? (problemOf(record) ?? []) : []));
  const isUnchecked = domain.records.every(({ status }) => status === 'unchecked');
  const mark: MarkName = isUnchecked ? 'off' : problems.length === 0 ? 'ok' : 'bad';
  const acts = (log.value?.activity ?? []).filter(({ subject }) => subject === domain.domain);
  // The log may name a check that found nothing out.
  const isShown = !isUnchecked || acts.every(({ action }) => action !== 'domain.check');
  return (
    <Section title="Checks">
      <ol class="track panel">
        {isShown && (
          <li>
            <TrackMark name={mark} />
            <span>
              {isUnchecked
                ? 'Not checked yet'
                : problems.length === 0
                  ? 'All that is required was found'
                  : problems.join(', ')}
            </span>
            {domain.last_checked_at ? <Time at={domain.last_checked_at} as="day" /> : <span />}
          </li>
        )}
        {acts.map((act: Act) => (
          <li key={act.id}>
            <TrackMark name="off" />
            <span>
              {DONE[act.action] ?? act.action} by {act.actor}
            </span>
            <Time at={act.at} as="day" />
          </li>
        ))}
      </ol>
    </Section>
  );
};
