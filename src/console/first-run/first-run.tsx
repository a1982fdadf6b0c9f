/** Replaces Home until it is finished or dismissed: leads to an agent that receives and answers mail. */

import { useEffect, useState } from 'preact/hooks';
import { type Made, NewAgent } from '../agents/new-agent.tsx';
import { api } from '../api/client.ts';
import { overview } from '../api/overview.ts';
import { session } from '../api/session.ts';
import { Callout, DidNotLoad, Section } from '../components/blocks.tsx';
import { Button, ButtonLink, useAct } from '../components/controls.tsx';
import { dayAndTime } from '../components/format.ts';
import { Icon } from '../components/marks.tsx';
import { NewDomain } from '../domains/domains.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { Needs } from '../home/needs.tsx';
import { NewPasskey } from '../you/passkeys.tsx';
import { Connect } from './connect.tsx';
import { LiveLog, useHappened } from './live-log.tsx';
import { type Progress, useProgress } from './progress.ts';
import { Step } from './step.tsx';
import { TestMail } from './test-mail.tsx';

/** How many steps there are, and how many are done. */
const countSteps = ({ agents, calledAt, reached, domain, passkey }: Progress) => {
  const steps = [agents.length > 0, calledAt !== null, reached !== null, domain?.isDone, passkey?.isDone].filter(
    (isDone) => isDone !== undefined,
  );
  return { of: steps.length, done: steps.filter(Boolean).length, needed: steps.slice(0, 3).filter(Boolean).length };
};

const headWords = ({ of, done, needed }: ReturnType<typeof countSteps>): string => {
  if (session.value?.is_local) return 'on this machine alone; no mail leaves it';
  if (needed < 3) return 'about four minutes';
  return of === done ? 'all done' : 'the rest can wait';
};

interface ListProps {
  progress: Progress;
  made: Made | null;
  setMade: (made: Made) => void;
  reload: () => Promise<void>;
  say: ReturnType<typeof useHappened>['add'];
}

const List = ({ progress, made, setMade, reload, say }: ListProps) => {
  const [asked, setAsked] = useState<'agent' | 'domain' | 'passkey' | null>(null);
  const { agents, calledAt, caller, domain, passkey } = progress;
  const agent = agents.find(({ handle }) => handle === made?.handle) ?? agents[0];
  const isLocal = session.value?.is_local === true;
  const other = agents.find(({ id }) => id !== agent?.id) ?? agent;
  const to = (isLocal ? other?.address : session.value?.email) ?? '';
  const counted = countSteps(progress);
  const close = (): void => setAsked(null);
  const isKeyKnown = agent !== undefined && made?.handle === agent.handle;
  const connect = agent && (
    <Connect
      agent={agent}
      to={to}
      apiKey={isKeyKnown ? made.api_key : undefined}
      isCalled={calledAt !== null}
      onKey={(key) => setMade({ ...agent, api_key: key })}
    />
  );
  return (
    <Section title="Set up" {...(isLocal ? { note: headWords(counted) } : { wideNote: headWords(counted) })}>
      <ol class="setup">
        <Step
          state={agent ? 'done' : 'next'}
          title="Make an agent"
          words={
            agent ? (
              <>
                <span class="mono">{agent.address}</span>
                {agents.length > 1 && ` and ${agents.length - 1} more`}
                {agents.length === 1 && (agent.hold ? ', held for you at first' : ', sends at once')}
              </>
            ) : (
              'An address, a mailbox, and a key for the program'
            )
          }
          act={!agent && <Button words="Make one" kind="primary" onClick={() => setAsked('agent')} />}
        />
        <Step
          state={calledAt ? 'done' : agent ? 'next' : 'later'}
          title="Connect it"
          words={calledAt ? `${caller} last called ${dayAndTime(calledAt)}` : 'Where does the agent run?'}
        >
          {!calledAt && connect}
          {calledAt && isKeyKnown && (
            <details>
              <summary>
                <span class="mk faint">
                  <Icon name="chev" />
                </span>
                Its key, and the blocks to copy
              </summary>
              {connect}
            </details>
          )}
        </Step>
        <TestMail progress={progress} agent={agent} say={say} />
        {domain && (
          <Step
            state={domain.isDone ? 'done' : 'may-wait'}
            title="Add a domain"
            words={
              domain.added ? (
                <>
                  <span class="mono">{domain.added.domain}</span> is{' '}
                  {domain.isDone ? 'verified' : 'added; its records wait'}
                </>
              ) : (
                'Not needed to begin. With one, mail comes from your own name'
              )
            }
            act={
              domain.isDone ? null : domain.added ? (
                <ButtonLink href={`/domains/${domain.added.domain}`} words="See records" />
              ) : (
                <Button words="Add" onClick={() => setAsked('domain')} />
              )
            }
          />
        )}
        {passkey && (
          <Step
            state={passkey.isDone ? 'done' : 'may-wait'}
            title="Add a passkey"
            words="So that you sign in without a mailed link"
            act={!passkey.isDone && <Button words="Add" onClick={() => setAsked('passkey')} />}
          />
        )}
      </ol>
      {isLocal && (
        <p class="held-note">
          Domain and passkey are not needed here: mail stays between the agents of this machine, and a link from its
          terminal signs you in.
        </p>
      )}
      {asked === 'agent' && (
        <NewAgent
          onClose={close}
          onMade={(of) => {
            setMade(of);
            say({ mark: 'ok', words: `${of.handle} is made`, more: of.address });
            close();
          }}
        />
      )}
      {asked === 'domain' && <NewDomain onClose={close} />}
      {asked === 'passkey' && <NewPasskey onClose={close} onDone={reload} />}
    </Section>
  );
};

export const FirstRun = ({ onAway }: { onAway: () => void }) => {
  const { progress, failure, reload } = useProgress();
  const [made, setMade] = useState<Made | null>(null);
  const act = useAct();
  const { all, add } = useHappened(progress?.agents ?? []);
  const counted = progress && countSteps(progress);
  const isDone = counted !== null && counted.done === counted.of;
  const putAway = async (): Promise<void> => {
    await api.setUp.putAway({});
    if (session.value) session.value = { ...session.value, set_up_away: true };
  };
  // A finished list does not return; it stays until the page is left.
  useEffect(() => {
    if (isDone) void putAway().catch(() => undefined);
  }, [isDone]);
  const calledAt = progress?.calledAt ?? null;
  const [began] = useState(() => new Date().toISOString());
  useEffect(() => {
    if (calledAt !== null && calledAt >= began)
      add({ mark: 'ok', words: `${progress?.caller} called for the first time` });
  }, [calledAt === null]);
  const handle = (made ?? progress?.agents[0])?.handle;
  const hasNeeds = overview.value && overview.value.needs.length > 0;
  const end = (
    <Button
      words={isDone ? 'Put it away' : 'Put the list away'}
      kind={isDone ? 'plain' : 'quiet'}
      isSmall={isDone}
      class={isDone ? 'end' : ''}
      busy={act.isBusy && 'Putting…'}
      onClick={() =>
        act.run(async () => {
          await putAway();
          onAway();
        })
      }
    />
  );
  return (
    <>
      <TitleRow title="Home" context={counted && <span class="dim">{`${counted.done} of ${counted.of} done`}</span>}>
        {!isDone && end}
      </TitleRow>
      <div class="page" aria-busy={!progress && !failure}>
        {failure && !progress && <DidNotLoad what="The first steps" failure={failure} again={() => void reload()} />}
        {progress && hasNeeds && <Needs />}
        {isDone && (
          <Callout tone="good" end={end}>
            <p>
              <b>{handle} can be written to and can answer.</b> This list goes when you leave the page; Home then opens
              with what needs you.
            </p>
          </Callout>
        )}
        {progress && (
          <div class="split">
            <List progress={progress} made={made} setMade={setMade} reload={reload} say={add} />
            <LiveLog all={all} address={(made ?? progress.agents[0])?.address} />
          </div>
        )}
      </div>
    </>
  );
};
