/** A workspace's reputation state: normal, throttled or paused, by how its mail fared over the last 7 days. */

import type { Plans } from '../../config/plans.ts';
import type { Events } from '../../events/publish-events.ts';
import { DAY, type Millis } from '../../kernel/clock.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import {
  endProbation,
  findWorkspaceById,
  listProbationWorkspaces,
  listThrottledWorkspaces,
  resetRatesBefore,
  setSendingState,
  type Workspace,
} from '../../store/accounts/workspaces.ts';
import { type Outcomes, sumOutcomes } from '../../store/sending/outcomes.ts';
import type { Db, Store, Tx } from '../../store/store.ts';

const RATES_WINDOW_MS = 7 * DAY;
/** "A clean day": so long without a bounce or a complaint. */
const CLEAN_MS = DAY;

export interface ReputationNeeds {
  events: Events;
  plans: Plans;
}

interface Rates {
  outcomes: Outcomes;
  bounces: number;
  complaints: number;
  bounceRate: number;
  complaintRate: number;
}

const toRates = (outcomes: Outcomes): Rates => {
  const bounces = outcomes.bounced + outcomes.replyBounced;
  const complaints = outcomes.complained + outcomes.replyComplained;
  const [bounceRate, complaintRate] = [shareOf(bounces, outcomes), shareOf(complaints, outcomes)];
  return { outcomes, bounces, complaints, bounceRate, complaintRate };
};

const ratesOf = async (db: Db, { id, ratesFrom }: Workspace, now: Millis): Promise<Rates> =>
  toRates(await sumOutcomes(db, id, Math.max(now - RATES_WINDOW_MS, ratesFrom)));

const shareOf = (count: number, { ended }: Outcomes): number => (ended === 0 ? 0 : count / ended);

type Line = { state: 'paused' | 'throttled'; reason: 'bounce_rate' | 'complaint_rate' };

/**
 * The worst line that the rates cross, or null. Only cold mail can pause: how a reply fares can be brought about by
 * anybody who writes to the agent first.
 */
const lineCrossed = ({ outcomes, complaints, bounceRate, complaintRate }: Rates, { rates }: Plans): Line | null => {
  const { ended, mails, bounced, complained } = outcomes;
  if (ended < rates.minimum_recipients || mails < rates.minimum_mails) return null;
  if (shareOf(bounced, outcomes) >= rates.pause_bounces) return { state: 'paused', reason: 'bounce_rate' };
  if (shareOf(complained, outcomes) >= rates.pause_complaints && complained >= rates.pause_complaints_minimum) {
    return { state: 'paused', reason: 'complaint_rate' };
  }
  if (bounceRate >= rates.throttle_bounces) return { state: 'throttled', reason: 'bounce_rate' };
  if (complaintRate >= rates.throttle_complaints && complaints >= rates.throttle_complaints_minimum) {
    return { state: 'throttled', reason: 'complaint_rate' };
  }
  return null;
};

const dataOf = (id: WorkspaceId, { bounceRate, complaintRate }: Rates) => ({
  workspace_id: id,
  bounce_rate: bounceRate,
  complaint_rate: complaintRate,
});

/** After a delivery's end: throttles or pauses where a line is crossed. Never makes a state better. */
export const updateReputation = async (
  { events, plans }: ReputationNeeds,
  tx: Tx,
  id: WorkspaceId,
  now: Millis,
): Promise<void> => {
  const workspace = await findWorkspaceById(tx.db, id);
  // Of the box's own notices one owner's dead address must not keep back the others': nobody could resume it.
  if (!workspace || workspace.hidden || workspace.sendingState === 'paused') return;
  const rates = await ratesOf(tx.db, workspace, now);
  const line = lineCrossed(rates, plans);
  if (!line || line.state === workspace.sendingState) return;
  await setSendingState(tx, id, line.state, line.reason, now);
  const about = { workspaceId: id, mailboxId: null };
  if (line.state === 'throttled') {
    await events.publish(tx, { name: 'workspace.throttled', ...about, data: dataOf(id, rates) });
  } else {
    await events.publish(tx, {
      name: 'workspace.paused',
      ...about,
      data: { ...dataOf(id, rates), reason: line.reason },
    });
  }
};

const resume = async ({ events }: ReputationNeeds, tx: Tx, workspace: Workspace, now: Millis): Promise<void> => {
  const rates = await ratesOf(tx.db, workspace, now);
  await setSendingState(tx, workspace.id, 'normal', null, now);
  await events.publish(tx, {
    name: 'workspace.resumed',
    workspaceId: workspace.id,
    mailboxId: null,
    data: dataOf(workspace.id, rates),
  });
};

/** Lifts every throttle that has seen a clean day. */
export const liftThrottles = async (needs: ReputationNeeds & { store: Store }, now: Millis): Promise<void> => {
  for (const { id } of await listThrottledWorkspaces(needs.store.read)) {
    await needs.store.write(async (tx) => {
      const workspace = await findWorkspaceById(tx.db, id);
      if (workspace?.sendingState !== 'throttled' || now - workspace.sendingStateAt < CLEAN_MS) return;
      const { bounces, complaints } = toRates(await sumOutcomes(tx.db, id, now - CLEAN_MS));
      if (bounces === 0 && complaints === 0) await resume(needs, tx, workspace, now);
    });
  }
};

/** Ends the probation of every workspace whose owner is verified and that has gone long enough without a bounce. */
export const endProbations = async ({ store, plans }: { store: Store; plans: Plans }, now: Millis): Promise<void> => {
  const wait = plans.probation.days_without_bounce * DAY;
  for (const { id, verifiedAt, createdAt } of await listProbationWorkspaces(store.read)) {
    if (verifiedAt === null || now - createdAt < wait) continue;
    const { bounces } = toRates(await sumOutcomes(store.read, id, now - wait));
    if (bounces === 0) await store.write((tx) => endProbation(tx, id));
  }
};

/** A person pauses a workspace. @returns false where it was paused before */
export const pauseWorkspace = async (
  { events }: ReputationNeeds,
  tx: Tx,
  workspace: Workspace,
  reason: string,
  now: Millis,
): Promise<boolean> => {
  if (workspace.sendingState === 'paused') return false;
  const rates = await ratesOf(tx.db, workspace, now);
  await setSendingState(tx, workspace.id, 'paused', reason, now);
  await events.publish(tx, {
    name: 'workspace.paused',
    workspaceId: workspace.id,
    mailboxId: null,
    data: { ...dataOf(workspace.id, rates), reason },
  });
  return true;
};

/** A person lets a workspace send again, with a clean slate. @returns false where nothing held it back */
export const resumeWorkspace = async (
  needs: ReputationNeeds,
  tx: Tx,
  workspace: Workspace,
  now: Millis,
): Promise<boolean> => {
  if (workspace.sendingState === 'normal') return false;
  await resume(needs, tx, workspace, now);
  await resetRatesBefore(tx, workspace.id, now);
  return true;
};
