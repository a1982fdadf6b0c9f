/** Home: what needs the owner first, then how sending goes, the agents, the quota and the queue. */

import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useAnswer, useLoaded, useReloadAfter } from '../api/loaded.ts';
import { overview } from '../api/overview.ts';
import { session } from '../api/session.ts';
import { Section, Show, SkeletonLines } from '../components/blocks.tsx';
import { ButtonLink } from '../components/controls.tsx';
import { thisDay } from '../components/format.ts';
import { FirstRun } from '../first-run/first-run.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { AgentTable } from './agent-table.tsx';
import { Needs } from './needs.tsx';
import { QueueSummary } from './queue-summary.tsx';
import { Quota } from './quota.tsx';
import { SendingCharts } from './sending-charts.tsx';

const useHome = () => {
  const sending = useAnswer(api.home.sending, {});
  const usage = useAnswer(api.plan.get, {});
  const queue = useLoaded(async (signal) => {
    const [{ queue: deliveries }, { booked, next_cursor }] = await Promise.all([
      api.queue.list({}, { signal }),
      api.booked.list({}, { signal }),
    ]);
    return { deliveries, booked: booked.length, hasMore: next_cursor !== null };
  }, 'queue');
  useReloadAfter(/^(message\.|scheduled|workspace\.)/, sending, usage, queue);
  return { sending, usage, queue };
};

const Running = () => {
  const { sending, usage, queue } = useHome();
  const shown = overview.value;
  return (
    <>
      <TitleRow title="Home" context={<span class="dim wide-only">{thisDay()}</span>}>
        <ButtonLink class="primary" href="/agents?new" icon="plus" words="New agent" />
      </TitleRow>
      <div class="page">
        <Needs />
        <div class="held-charts">
          <Show loaded={sending} what="The counts of sent mail" shape="charts" lines={6}>
            {(health) => <SendingCharts health={health} />}
          </Show>
        </div>
        <div class="split">
          <Section title="Agents" end={<Link href="/agents">All agents</Link>}>
            {shown ? <AgentTable agents={shown.agents.slice(0, 12)} /> : <SkeletonLines lines={5} />}
          </Section>
          <div class="stack">
            <Show loaded={usage} what="The quota">
              {(plan) => <Quota plan={plan} hasMailboxes />}
            </Show>
            <Show loaded={queue} what="The queue">
              {(shown) => <QueueSummary {...shown} />}
            </Show>
          </div>
        </div>
      </div>
    </>
  );
};

export const Home = () => {
  const [isFirst, setFirst] = useState(session.value?.set_up_away === false);
  return isFirst ? <FirstRun onAway={() => setFirst(false)} /> : <Running />;
};
