/** The data on every screen: the agents with their counts, the owner's tasks, and the state of sending. */

import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { count, todayBegan } from '../components/format.ts';
import { type Answer, api } from './client.ts';
import { useLive } from './loaded.ts';
import { loadSession, workspace } from './session.ts';

export type Need = Answer<'home', 'needs'>['needs'][number];
export type AgentCounts = Answer<'home', 'agents'>['agents'][number];
export type Agent = Answer<'agents', 'list'>['agents'][number];

export interface Overview {
  agents: (Agent & { counts: AgentCounts | null })[];
  needs: Need[];
  heldBy: Answer<'home', 'needs'>['held'];
  lookedAt: Answer<'home', 'needs'>['looked_at'];
  /** Held mail, with what is approved and not sent yet: a count falls when the mail has gone. */
  held: number;
}

export const overview = signal<Overview | null>(null);
/** Whether the last refresh failed, so that the screen may be out of date. */
export const isStale = signal(false);

/** Approved and not sent yet: their rows keep their place. */
export const going = signal<readonly Answer<'heldMail', 'approve'>[]>([]);

export const heldCount = computed(() => overview.value?.held ?? 0);

/** The counts of an agent stop at this. */
const MOST_COUNTED = 1_000;
export const countText = (value: number): string => `${count(value)}${value >= MOST_COUNTED ? '+' : ''}`;

/** The unread mail of all agents; empty for none. */
export const unreadText = computed(() => {
  const counts = (overview.value?.agents ?? []).map((agent) => agent.counts?.unread ?? 0);
  const sum = counts.reduce((all, each) => all + each, 0);
  const isMore = counts.some((each) => each >= MOST_COUNTED);
  return sum === 0 ? '' : `${count(sum)}${isMore ? '+' : ''}`;
});

/** Numbers refreshes by their start: an answer after a later one's is ignored. */
let begun = 0;
let answered = 0;

export const loadOverview = async (): Promise<void> => {
  const slug = workspace.value?.slug;
  if (slug === undefined) return;
  begun += 1;
  const look = begun;
  try {
    const [{ agents }, { agents: counts }, { needs, held: heldBy, looked_at }] = await Promise.all([
      api.agents.list({}),
      api.home.agents({ since: todayBegan() }),
      api.home.needs({}),
    ]);
    // The workspace may have changed meanwhile.
    if (look < answered || workspace.value?.slug !== slug) return;
    answered = look;
    const byHandle = new Map(counts.map((each) => [each.agent, each]));
    overview.value = {
      agents: agents.map((agent) => ({ ...agent, counts: byHandle.get(agent.handle) ?? null })),
      needs,
      heldBy,
      lookedAt: looked_at,
      held: heldBy.reduce((sum, each) => sum + each.count, 0) + going.value.length,
    };
    isStale.value = false;
  } catch {
    if (look > answered) isStale.value = true;
  }
};

const CHANGES_STATE = /^workspace\./;

/** Refreshes it while the console is open. */
export const useOverview = (): void => {
  const slug = workspace.value?.slug;
  useEffect(() => {
    overview.value = null;
    void loadOverview();
  }, [slug]);
  useLive(
    () => true,
    () => void loadOverview(),
  );
  useLive(
    (event) => event === null || CHANGES_STATE.test(event.event),
    // The next refresh makes up for a failed one.
    () => void loadSession().catch(() => undefined),
  );
};
