/** The settings of an agent: reviews of its mail, its filter, its keys, its removal. */

import { useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { type Answer, api } from '../api/client.ts';
import { type Loaded, useRefreshed } from '../api/loaded.ts';
import { loadOverview, overview } from '../api/overview.ts';
import { AgentState } from '../components/agent-state.tsx';
import { Fact, Section, Show, Time } from '../components/blocks.tsx';
import { ActFailure, Button, Switch, useAct } from '../components/controls.tsx';
import { CopyValue } from '../components/copy.tsx';
import { ask, FormDialog } from '../components/dialog.tsx';
import { TextField, useTexts } from '../components/inputs.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { RemoveSection } from '../frame/remove-section.tsx';
import { AgentKeys } from './agent-keys.tsx';
import { AgentRules } from './agent-rules.tsx';
import { AgentHead } from './agent-tabs.tsx';
import { MadeWebhooks } from './made-webhooks.tsx';

type Agent = Answer<'agents', 'get'>;

interface AgentProps {
  agent: Agent;
  loaded: Loaded<Agent>;
}

const NameForm = ({ agent: { handle, display_name }, loaded, onClose }: AgentProps & { onClose: () => void }) => {
  const [{ name }, field] = useTexts({ name: display_name ?? '' });
  return (
    <FormDialog
      title={`Name of ${handle}`}
      onClose={onClose}
      verb="Save"
      run={async () => {
        await api.agents.rename({ agent: handle, display_name: name.trim() === '' ? null : name.trim() });
        await loaded.reload();
        return 'The name is saved';
      }}
    >
      <TextField
        label="Name"
        maxLength={200}
        hint="Recipients see it beside the address, from the next mail on. It may be left out."
        {...field('name')}
      />
    </FormDialog>
  );
};

const Name = (props: AgentProps) => {
  const [isOpen, setOpen] = useState(false);
  const { display_name: name } = props.agent;
  return (
    <Fact name="Name">
      {name === null ? <span class="dim">none; recipients see the address</span> : <bdi>{name}</bdi>}{' '}
      <button type="button" class="link" aria-label="Change the name" onClick={() => setOpen(true)}>
        Change
      </button>
      {isOpen && <NameForm {...props} onClose={() => setOpen(false)} />}
    </Fact>
  );
};

const Facts = ({ agent, loaded }: AgentProps) => (
  <Section title="Identity">
    <dl class="facts panel">
      <Fact name="Address">
        <CopyValue value={agent.address} of="address" />
      </Fact>
      <Name agent={agent} loaded={loaded} />
      {agent.description && (
        <Fact name="It says">
          “<bdi>{agent.description}</bdi>” <span class="dim">It calls itself that; nobody has checked.</span>
        </Fact>
      )}
      {agent.former_addresses.map(({ address, receives_until }) => (
        <Fact key={address} name="Before">
          <span class="mono">{address}</span>{' '}
          <span class="dim">
            takes mail until <Time at={receives_until} />
          </span>
        </Fact>
      ))}
      <Fact name="Made">
        <Time at={agent.created_at} as="day" />
      </Fact>
    </dl>
  </Section>
);

const WayOut = ({ agent, loaded }: AgentProps) => {
  const act = useAct();
  const { handle, hold, guard, status } = agent;
  const change = (work: () => Promise<unknown>, said: string): void =>
    act.run(async () => {
      await work();
      await Promise.all([loaded.reload(), loadOverview()]);
      return said;
    });
  const askToSuspend = (): void =>
    ask({
      title: `Suspend ${handle}?`,
      verb: 'Suspend',
      text: (
        <>
          <p>
            Mail to it is refused while it is suspended, and senders are told. Its mail, its keys and its rules stay.
          </p>
          <MadeWebhooks agent={handle} />
        </>
      ),
      run: async () => {
        await api.agents.suspend({ agent: handle });
        await Promise.all([loaded.reload(), loadOverview()]);
        return `${handle} is suspended`;
      },
    });
  const isSuspended = status === 'suspended';
  return (
    <Section title="How its mail goes out" end={<AgentState agent={agent} />}>
      <div class="panel settings">
        <Switch
          label="Hold all mail"
          hint="Each mail waits for you, a week at most."
          checked={hold}
          isIdle={act.isBusy}
          onChange={(on) =>
            change(
              () => api.agents.hold({ agent: handle, hold: on }),
              on ? `${handle} is held` : `${handle} is not held any more`,
            )
          }
        />
        <Switch
          label="Guard"
          hint="Only answers to mail that did not authenticate wait for you, and mail to such senders."
          checked={guard}
          isIdle={act.isBusy}
          onChange={(on) =>
            change(
              () => api.agents.guard({ agent: handle, guard: on }),
              on ? `${handle} is guarded` : `${handle} is not guarded any more`,
            )
          }
        />
        <div class="row">
          <div>
            <p class="label">{isSuspended ? 'Suspended' : 'Suspend'}</p>
            <p class="dim small">
              {isSuspended
                ? 'It takes no mail and sends none; its keys still read.'
                : 'It takes no mail and sends none until you resume it; its keys still read. What is queued goes on.'}
            </p>
          </div>
          {isSuspended ? (
            <Button
              words="Resume"
              busy={act.isBusy && 'Resuming…'}
              onClick={() => change(() => api.agents.resume({ agent: handle }), `${handle} is resumed`)}
            />
          ) : (
            <Button words="Suspend" kind="danger" onClick={askToSuspend} />
          )}
        </div>
        <ActFailure text={act.failure} />
      </div>
    </Section>
  );
};

const End = ({ agent: { handle, address } }: { agent: Agent }) => {
  const [, go] = useLocation();
  return (
    <RemoveSection
      kind="agent"
      hint="Its keys, its address and its mail end for good. The handle is never given again."
      title={`Remove ${handle} for good?`}
      verb="Remove for good"
      typed={handle}
      run={async () => {
        await api.agents.remove({ agent: handle });
        await loadOverview();
        go('/agents');
        return `${handle} is removed`;
      }}
      text={
        <>
          <p>
            Mail to <span class="mono">{address}</span> is refused from now on, what it would still send is cancelled,
            and its mail is deleted. Contacts, notes and secrets of the workspace stay.
          </p>
          <MadeWebhooks agent={handle} />
        </>
      }
    />
  );
};

export const AgentSettings = () => {
  const { agent = '' } = useParams<{ agent: string }>();
  const loaded = useRefreshed(api.agents.get, { agent });
  const shown = overview.value?.agents.find(({ handle }) => handle === agent);
  return (
    <>
      <TitleRow
        title={agent}
        tab={`Settings of ${agent}`}
        context={<AgentHead handle={agent} current="Settings" agent={shown} />}
      />
      <div class="page narrow">
        <Show loaded={loaded} what="The agent" lines={8}>
          {(value) => (
            <>
              <Facts agent={value} loaded={loaded} />
              <WayOut agent={value} loaded={loaded} />
              <AgentKeys agent={value.handle} />
              <AgentRules agent={value} reload={() => void loaded.reload()} />
              <End agent={value} />
            </>
          )}
        </Show>
      </div>
    </>
  );
};
