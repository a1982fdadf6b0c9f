/** A mail to the agent, and its arrival. */

import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { useEvents } from '../api/loaded.ts';
import type { Agent } from '../api/overview.ts';
import { session } from '../api/session.ts';
import { ActFailure, Button, ButtonLink, useAct } from '../components/controls.tsx';
import type { useHappened } from './live-log.tsx';
import type { Progress } from './progress.ts';
import { Step } from './step.tsx';

interface TestMailProps {
  progress: Progress;
  agent: Agent | undefined;
  say: ReturnType<typeof useHappened>['add'];
}

interface Sent {
  at: number;
  /** Once it is there: where, and after how many seconds. */
  arrived: { threadId: string; after: string } | null;
}

export const TestMail = ({ progress: { reached, calledAt }, agent, say }: TestMailProps) => {
  const act = useAct();
  const [sent, setSent] = useState<Sent | null>(null);
  useEvents(({ event, data }) => {
    if (event !== 'message.received' || data.mailbox !== agent?.address) return;
    setSent((before) => {
      if (!before || before.arrived) return before;
      const after = ((Date.now() - before.at) / 1_000).toFixed(1);
      return { ...before, arrived: { threadId: String(data.thread_id), after } };
    });
  });
  const send = (): void => {
    if (!agent) return;
    act.run(async () => {
      const at = Date.now();
      // Set first: it may arrive before the answer does.
      setSent({ at, arrived: null });
      const { refused } = await api.setUp.sendTest({ agent: agent.handle });
      if (refused) {
        setSent(null);
        say({ mark: 'bad', words: 'The test mail was refused', more: refused.reason });
        return;
      }
      say({ mark: 'ok', words: 'The test mail was signed and queued', more: `To ${agent.address}` });
    });
  };
  const arrived = sent?.arrived ?? null;
  const isDone = reached !== null;
  const button = agent && (
    <Button words={isDone || sent ? 'Send another' : 'Send it'} busy={act.isBusy && 'Sending…'} onClick={send} />
  );
  const words = (): string => {
    if (arrived) return `It is in the mailbox of ${agent?.handle}. Let the agent answer it.`;
    if (sent) return 'It is under way, and shows here as it arrives';
    if (isDone) return `Mail has arrived for ${reached}`;
    const whom = agent?.handle ?? 'the agent';
    return session.value?.is_local
      ? `From this machine to ${whom}`
      : `From Postroom to ${whom}; its answer goes to ${session.value?.email}`;
  };
  return (
    <Step
      state={isDone ? 'done' : agent && calledAt ? 'next' : 'later'}
      title={arrived ? `Test mail: arrived after ${arrived.after} s` : 'Send a test mail and see it arrive'}
      words={words()}
      act={!arrived && button}
    >
      {act.failure && (
        <div class="in">
          <ActFailure text={act.failure} />
        </div>
      )}
      {arrived && agent && (
        <div class="in">
          <div class="line">
            <ButtonLink
              class="primary"
              href={`/agents/${agent.handle}/threads/${arrived.threadId}`}
              words="Open the mail"
            />
            {button}
          </div>
        </div>
      )}
    </Step>
  );
};
