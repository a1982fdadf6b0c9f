/** Quotas of the workspace's plan, by UTC day and month; a reply counts a tenth of a send. */

import type { WorkspaceId } from '../../kernel/ids.ts';
import { formatDay, formatMonth, nextDay, nextMonth } from '../../kernel/utc-period.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { listWorkspaceOwners, listWorkspacesOf } from '../../store/owners/owners.ts';
import { findUsage } from '../../store/sending/usage.ts';
import type { Db } from '../../store/store.ts';
import type { Check } from './gate-check.ts';

/** In tenths of a send. */
export const UNITS_OF = { cold: 10, reply: 1 } as const;
const UNITS_PER_SEND = 10;

const isOver = (used: number, more: number, quota: number): boolean => used + more > quota * UNITS_PER_SEND;

/**
 * The cold mail of a day: of the workspace, or of all workspaces on probation of one of its owners, whichever is more.
 */
export const coldOfOwners = async (db: Db, { id }: Workspace, day: string): Promise<number> => {
  const coldOf = async (of: readonly WorkspaceId[]): Promise<number> => {
    let sum = 0;
    for (const each of of) sum += (await findUsage(db, each, day)).cold;
    return sum;
  };
  let most = await coldOf([id]);
  for (const owner of await listWorkspaceOwners(db, id)) {
    const claimed = (await listWorkspacesOf(db, owner.id)).filter(({ tier }) => tier === 'probation');
    most = Math.max(most, await coldOf(claimed.map((each) => each.id)));
  }
  return most;
};

const PROBATION_IS_USED =
  'The workspace is on probation, and its cold sends of today are used up. Replies still go. Cold mail goes again at `retryAfter`.';

/**
 * A small daily quota of cold mail over all workspaces on probation of one owner: claiming more of them brings no
 * more.
 */
export const probationIsKept: Check = async ({ sender: { workspace }, sendClass, plans, now }, db) => {
  if (workspace.tier !== 'probation' || sendClass !== 'cold') return null;
  const cold = await coldOfOwners(db, workspace, formatDay(now));
  return cold >= plans.probation.cold_sends_per_day
    ? { reason: 'daily_send_quota_exhausted', hint: PROBATION_IS_USED, retryAt: nextDay(now) }
    : null;
};

export const dailyQuotaIsLeft: Check = async ({ sender: { workspace, plan }, sendClass, now }, db) => {
  if (plan.sends_per_day === undefined) return null;
  const { units } = await findUsage(db, workspace.id, formatDay(now));
  return isOver(units, UNITS_OF[sendClass], plan.sends_per_day)
    ? { reason: 'daily_send_quota_exhausted', retryAt: nextDay(now) }
    : null;
};

/** Only for plans without overage price; with one, the spend cap limits the month. */
export const monthlyQuotaIsLeft: Check = async ({ sender: { workspace, plan }, sendClass, now }, db) => {
  if (plan.sends_per_month === undefined || plan.overage_usd !== undefined) return null;
  const { units } = await findUsage(db, workspace.id, formatMonth(now));
  return isOver(units, UNITS_OF[sendClass], plan.sends_per_month)
    ? { reason: 'monthly_send_quota_exhausted', retryAt: nextMonth(now) }
    : null;
};

/** The price of a month's sends beyond the plan's, in USD. */
export const overageUsd = (units: number, sendsPerMonth: number, usdPerSend: number): number =>
  (Math.max(0, units - sendsPerMonth * UNITS_PER_SEND) * usdPerSend) / UNITS_PER_SEND;

/** Tolerance for floating-point sums: a hundredth of the smallest price. */
const ROUNDING_USD = 1e-7;

export const spendCapIsKept: Check = async ({ sender: { workspace, plan }, sendClass, now }, db) => {
  const cap = workspace.spendCapUsd ?? plan.spend_cap_usd;
  if (plan.sends_per_month === undefined || plan.overage_usd === undefined || cap === undefined) return null;
  const { units } = await findUsage(db, workspace.id, formatMonth(now));
  const spent = overageUsd(units + UNITS_OF[sendClass], plan.sends_per_month, plan.overage_usd);
  return spent > cap + ROUNDING_USD ? { reason: 'monthly_spend_cap_reached' } : null;
};
