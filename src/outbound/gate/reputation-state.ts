/**
 * A workspace's reputation state (normal, throttled, paused), from its bounce and complaint rates over the last 7 days.
 */

import type { ActivityLog } from '../../activity/activity-log.ts';
import type { Plans } from '../../config/plans.ts';
import type { Events } from '../../events/publish-events.ts';
import { DAY, type Millis } from '../../kernel/clock.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import type { Act, ActivityDetail } from '../../kernel/operation.ts';
import { freeColdSlots } from '../../store/accounts/agents.ts';
import {
  endProbation,
  findWorkspaceById,
  listProbationWorkspaces,
  listThrottledWorkspaces,
  resetRatesBefore,
  setSendingState,
  type Workspace,
} from '../../store/accounts/workspaces.ts';
import { expediteUntried } from '../../store/sending/delivery-queue.ts';
import { closeHour, type Outcomes, sumOutcomes } from '../../store/sending/outcomes.ts';
import type { Db, Store, Tx } from '../../store/store.ts';

export const RATES_WINDOW_MS = 7 * DAY;
/** A throttle is lifted after a day without bounce or complaint. */
const CLEAN_MS = DAY;

export interface ReputationNeeds {
  events: Events;
  plans: Plans;
  activity: Pick<ActivityLog, 'recordOwn'>;
  /** Tells the owners, of whom one resumes it. `share`: of the bounces or complaints, from 0 to 1. */
  notifyPaused: (tx: Tx, id: WorkspaceId, reason: Crossing['reason'], share: number) => Promise<void>;
}

export interface Rates {
  outcomes: Outcomes;
  bounces: number;
  complaints: number;
  bounceRate: number;
  complaintRate: number;
}

export const toRates = (outcomes: Outcomes): Rates => {
  const bounces = outcomes.bounced + outcomes.replyBounced;
  const complaints = outcomes.complained + outcomes.replyComplained;
  const [bounceRate, complaintRate] = [toShare(bounces, outcomes), toShare(complaints, outcomes)];
  return { outcomes, bounces, complaints, bounceRate, complaintRate };
};

/** Reads the rates of the last 7 days, or since the owner's last resume. */
export const findRates = async (db: Db, { id, ratesFrom }: Workspace, now: Millis): Promise<Rates> =>
  toRates(await sumOutcomes(db, id, Math.max(now - RATES_WINDOW_MS, ratesFrom)));

const toShare = (count: number, { ended }: Outcomes): number => (ended === 0 ? 0 : count / ended);

type Crossing = { state: 'paused' | 'throttled'; reason: 'bounce_rate' | 'complaint_rate' };

/**
 * The worst threshold that the rates cross; null: none. Only cold mail can pause a workspace: any outsider can cause
 * replies, by writing to the agent first, and make them bounce.
 */
export const findCrossing = (
  { outcomes, complaints, bounceRate, complaintRate }: Rates,
  { rates }: Plans,
): Crossing | null => {
  const { ended, mails, bounced, complained } = outcomes;
  if (ended < rates.minimum_recipients || mails < rates.minimum_mails) return null;
  if (toShare(bounced, outcomes) >= rates.pause_bounces) return { state: 'paused', reason: 'bounce_rate' };
  if (toShare(complained, outcomes) >= rates.pause_complaints && complained >= rates.pause_complaints_minimum) {
    return { state: 'paused', reason: 'complaint_rate' };
  }
  if (bounceRate >= rates.throttle_bounces) return { state: 'throttled', reason: 'bounce_rate' };
  if (complaintRate >= rates.throttle_complaints && complaints >= rates.throttle_complaints_minimum) {
    return { state: 'throttled', reason: 'complaint_rate' };
  }
  return null;
};

const toEvent = <More extends object>(id: WorkspaceId, { bounceRate, complaintRate }: Rates, more = {} as More) => ({
  workspaceId: id,
  mailboxId: null,
  data: { workspace_id: id, bounce_rate: bounceRate, complaint_rate: complaintRate, ...more },
});

/**
 * After a delivery has ended: throttles or pauses where a threshold is crossed. Never improves a state.
 * @param workspace as this transaction has read it
 */
export const updateReputation = async (
  { events, plans, activity, notifyPaused }: ReputationNeeds,
  tx: Tx,
  workspace: Workspace,
  now: Millis,
): Promise<void> => {
  const { id } = workspace;
  // The instance's own workspaces are exempt: one owner's dead address must not stop all notices, as no owner could
  // resume.
  if (workspace.hidden || workspace.sendingState === 'paused') return;
  const rates = await findRates(tx.db, workspace, now);
  const crossing = findCrossing(rates, plans);
  if (!crossing || crossing.state === workspace.sendingState) return;
  // The bounces of a lifted throttle stay in the rates for days; only a new bounce throttles again.
  const since = toRates(await sumOutcomes(tx.db, id, workspace.sendingStateAt));
  if (since.bounces === 0 && since.complaints === 0) return;
  await setSendingState(tx, id, crossing.state, crossing.reason, now);
  const action = crossing.state === 'throttled' ? 'workspace.throttle' : 'workspace.pause';
  await activity.recordOwn(tx, action, toAct(workspace, { reason: crossing.reason }));
  if (crossing.state === 'throttled') {
    await events.publish(tx, { name: 'workspace.throttled', ...toEvent(id, rates) });
  } else {
    await events.publish(tx, { name: 'workspace.paused', ...toEvent(id, rates, { reason: crossing.reason }) });
    const share = crossing.reason === 'bounce_rate' ? rates.bounceRate : rates.complaintRate;
    await notifyPaused(tx, id, crossing.reason, share);
  }
};

const toAct = ({ id, slug }: Workspace, detail: ActivityDetail = {}): Act => ({
  workspaceId: id,
  subject: slug,
  detail,
});

const resume = async (
  { events }: Pick<ReputationNeeds, 'events'>,
  tx: Tx,
  workspace: Workspace,
  now: Millis,
): Promise<void> => {
  const rates = await findRates(tx.db, workspace, now);
  await setSendingState(tx, workspace.id, 'normal', null, now);
  await freeColdSlots(tx, workspace.id);
  await expediteUntried(tx, workspace.id, now);
  await events.publish(tx, { name: 'workspace.resumed', ...toEvent(workspace.id, rates) });
};

/** Lifts the throttles of workspaces after a day without bounce or complaint. */
export const liftThrottles = async (
  needs: Pick<ReputationNeeds, 'events' | 'activity'> & { store: Store },
  now: Millis,
): Promise<void> => {
  for (const { id } of await listThrottledWorkspaces(needs.store.read)) {
    await needs.store.write(async (tx) => {
      const workspace = await findWorkspaceById(tx.db, id);
      if (workspace?.sendingState !== 'throttled' || now - workspace.sendingStateAt < CLEAN_MS) return;
      const { bounces, complaints } = toRates(await sumOutcomes(tx.db, id, now - CLEAN_MS));
      if (bounces > 0 || complaints > 0) return;
      await resume(needs, tx, workspace, now);
      await needs.activity.recordOwn(tx, 'workspace.resume', toAct(workspace));
    });
  }
};

/** Ends the probation of workspaces with a verified owner and no bounce for the plan's number of days. */
export const endProbations = async (
  { store, plans, activity }: Pick<ReputationNeeds, 'plans' | 'activity'> & { store: Store },
  now: Millis,
): Promise<void> => {
  const wait = plans.probation.days_without_bounce * DAY;
  for (const workspace of await listProbationWorkspaces(store.read)) {
    const { id, verifiedAt, createdAt } = workspace;
    if (verifiedAt === null || now - createdAt < wait) continue;
    const { bounces } = toRates(await sumOutcomes(store.read, id, now - wait));
    if (bounces > 0) continue;
    await store.write(async (tx) => {
      await endProbation(tx, id);
      await activity.recordOwn(tx, 'workspace.end_probation', toAct(workspace));
    });
  }
};

/** On request of an owner or operator. @returns false where it was paused before */
export const pauseWorkspace = async (
  { events }: Pick<ReputationNeeds, 'events'>,
  tx: Tx,
  workspace: Workspace,
  reason: string,
  now: Millis,
): Promise<boolean> => {
  if (workspace.sendingState === 'paused') return false;
  const rates = await findRates(tx.db, workspace, now);
  await setSendingState(tx, workspace.id, 'paused', reason, now);
  await events.publish(tx, { name: 'workspace.paused', ...toEvent(workspace.id, rates, { reason }) });
  return true;
};

/**
 * On request of an owner or operator: back to normal, with rates counted from now. @returns false where it was normal
 */
export const resumeWorkspace = async (
  needs: Pick<ReputationNeeds, 'events'>,
  tx: Tx,
  workspace: Workspace,
  now: Millis,
): Promise<boolean> => {
  if (workspace.sendingState === 'normal') return false;
  await resume(needs, tx, workspace, now);
  await closeHour(tx, workspace.id, now);
  await resetRatesBefore(tx, workspace.id, now);
  return true;
};
