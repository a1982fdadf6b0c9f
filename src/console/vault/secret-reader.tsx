/** One secret: its tags, its agents, and the acts on it. */

import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { type Answer, api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { overview } from '../api/overview.ts';
import { Empty, Section, Show, Table, Time } from '../components/blocks.tsx';
import { ActFailure, Switch, useAct } from '../components/controls.tsx';
import { ask } from '../components/dialog.tsx';
import { shortTime } from '../components/format.ts';
import { BackLink, ReaderHead } from '../frame/reader-head.tsx';
import { type Secret, typeWords } from './forms.ts';
import { SecretForm } from './secret-form.tsx';
import { SecretValues } from './secret-values.tsx';

type Act = Answer<'activity', 'list'>['activity'][number];

/** Acts shown of this secret; the log has older ones. */
const LOOKED_AT = 100;
const MOST_SHOWN = 20;

const DONE: Readonly<Record<string, string>> = {
  'secret.add': 'secret sealed',
  'secret.change': 'secret changed',
  'secret.open': 'secret opened',
  'secret.totp': 'one-time code',
  'secret.grant': 'granted',
  'secret.ungrant': 'grant taken back',
};

const wordsOf = ({ action, detail }: Act): string => {
  const agent = typeof detail.agent === 'string' ? detail.agent : null;
  const done = DONE[action] ?? action;
  return agent && /grant/.test(action) ? `${done}, ${agent}` : done;
};

const Grants = ({ secret, acts, reload }: { secret: Secret; acts: Act[]; reload: () => Promise<void> }) => {
  const act = useAct();
  const agents = overview.value?.agents ?? [];
  const change = (agent: string, on: boolean, withSeed = false): void =>
    act.run(async () => {
      if (on) await api.secrets.grant({ secret: secret.id, agent, with_seed: withSeed });
      else await api.secrets.ungrant({ secret: secret.id, agent });
      await reload();
      return on
        ? `${agent} may open “${secret.name}”${withSeed ? ', with the seed of its codes' : ''}`
        : `${agent} may not open it any more; it may have read it until now`;
    });
  /** The log reaches back to where the secret was sealed. */
  const isWhole = acts.some(({ action }) => action === 'secret.add');
  const lastRead = (agent: string): string => {
    const read = acts.find(
      ({ actor, action }) => actor === agent && (action === 'secret.open' || action === 'secret.totp'),
    );
    if (read) return `Last read ${shortTime(read.at)}.`;
    return isWhole ? 'Never read.' : 'Not read of late.';
  };
  return (
    <Section class="gap" title="Who may read it" end={`${secret.grants.length} of ${agents.length} agents`}>
      <div class="panel settings">
        {agents.map(({ handle }) => (
          <Fragment key={handle}>
            <Switch
              label={handle}
              hint={lastRead(handle)}
              checked={secret.grants.includes(handle)}
              isIdle={act.isBusy}
              onChange={(on) => change(handle, on)}
            />
            {secret.has_totp && secret.grants.includes(handle) && (
              <Switch
                label={`${handle} reads the seed of its one-time codes too`}
                hint="Off, it gets each code alone. With the seed it makes codes for good, elsewhere too."
                checked={secret.seed_grants.includes(handle)}
                isIdle={act.isBusy}
                onChange={(on) => change(handle, true, on)}
              />
            )}
          </Fragment>
        ))}
        {agents.length === 0 && <p class="dim small">The workspace has no agents.</p>}
        <ActFailure text={act.failure} />
      </div>
    </Section>
  );
};

const Reads = ({ acts }: { acts: Act[] }) => (
  <Section class="gap" title="Reads and changes" end={<Link href="/activity">All in the activity log</Link>}>
    <Table
      heads={['When', 'Who', 'What', 'By']}
      of={acts.slice(0, MOST_SHOWN)}
      isDense
      empty={<Empty icon="eye" title="Nothing of late" />}
    >
      {(each) => (
        <tr key={each.id}>
          <td class="nowrap dim">
            <Time at={each.at} as="day" />
          </td>
          <td>{each.actor}</td>
          <td class="full">{wordsOf(each)}</td>
          <td class="dim wide-only">{each.via}</td>
        </tr>
      )}
    </Table>
  </Section>
);

export const SecretReader = ({ secret, reload }: { secret: Secret; reload: () => Promise<void> }) => {
  const [, go] = useLocation();
  const [isEdited, setEdited] = useState(false);
  const log = useRefreshed(api.activity.list, { limit: LOOKED_AT, action: 'secret', q: secret.id });
  const again = async (): Promise<void> => {
    await Promise.all([reload(), log.reload()]);
  };
  const askToRemove = (): void =>
    ask({
      title: `Delete “${secret.name}”?`,
      verb: 'Delete secret',
      text: (
        <p>
          Its value and its grants are gone for good;{' '}
          {secret.grants.length === 0 ? 'no agent has it' : `${secret.grants.join(', ')} cannot open it any more`}. Who
          read it stays in the activity log.
        </p>
      ),
      run: async () => {
        await api.secrets.remove({ secret: secret.id });
        go('/vault');
        await reload();
        return `“${secret.name}” is deleted`;
      },
    });
  return (
    <>
      <BackLink href="/vault">Secrets</BackLink>
      <ReaderHead name={secret.name} remove={askToRemove} edit={() => setEdited(true)} />
      <div class="tags">
        <span class="tag">{typeWords(secret)}</span>
        {secret.tags.map((tag) => (
          <span class="tag" key={tag}>
            <bdi>{tag}</bdi>
          </span>
        ))}
        <span class="faint changed">
          changed <Time at={secret.updated_at} />, version {secret.version}
        </span>
      </div>
      <SecretValues key={`${secret.id} ${secret.version}`} secret={secret} onOpened={() => void log.reload()} />
      <Show loaded={log} what="The reads">
        {({ activity }) => {
          return (
            <>
              <Grants secret={secret} acts={activity} reload={again} />
              <Reads acts={activity} />
            </>
          );
        }}
      </Show>
      {isEdited && <SecretForm secret={secret} onClose={() => setEdited(false)} onDone={again} />}
    </>
  );
};
