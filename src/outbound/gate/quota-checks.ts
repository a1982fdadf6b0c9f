/** Quotas of the workspace's plan. Days and months are UTC; a reply counts a tenth of a send. */

import { dayOf, monthOf, nextDay, nextMonth } from '../../kernel/utc-period.ts';
import { findUsage } from '../../store/sending/usage.ts';
import type { Check } from './gate-check.ts';

/** Tenths of a send. */
export const UNITS_OF = { cold: 10, reply: 1 } as const;
const UNITS_PER_SEND = 10;

const isOver = (used: number, more: number, quota: number): boolean => used + more > quota * UNITS_PER_SEND;

/** Workspaces that an agent signed up for send few cold mails until their owner has shown to be there. */
export const probationIsKept: Check = async ({ sender: { workspace }, sendClass, plans, now }, db) => {
  if (workspace.tier !== 'probation' || sendClass !== 'cold') return null;
  const { cold } = await findUsage(db, workspace.id, dayOf(now));
  return cold >= plans.probation.cold_sends_per_day
    ? { reason: 'daily_send_quota_exhausted', retryAt: nextDay(now) }
    : null;
};

export const dailyQuotaIsLeft: Check = async ({ sender: { workspace, plan }, sendClass, now }, db) => {
  if (plan.sends_per_day === undefined) return null;
  const { units } = await findUsage(db, workspace.id, dayOf(now));
  return isOver(units, UNITS_OF[sendClass], plan.sends_per_day)
    ? { reason: 'daily_send_quota_exhausted', retryAt: nextDay(now) }
    : null;
};

/** What goes over a month that is metered is the spend cap's business. */
export const monthlyQuotaIsLeft: Check = async ({ sender: { workspace, plan }, sendClass, now }, db) => {
  if (plan.sends_per_month === undefined || plan.overage_usd !== undefined) return null;
  const { units } = await findUsage(db, workspace.id, monthOf(now));
  return isOver(units, UNITS_OF[sendClass], plan.sends_per_month)
    ? { reason: 'monthly_send_quota_exhausted', retryAt: nextMonth(now) }
    : null;
};

/** What a month has cost beyond what its plan includes, in USD. */
export const overageUsd = (units: number, sendsPerMonth: number, usdPerSend: number): number =>
  (Math.max(0, units - sendsPerMonth * UNITS_PER_SEND) * usdPerSend) / UNITS_PER_SEND;

/** Fractions of a cent do not add up exactly; a hundredth of the smallest price is no overrun. */
const ROUNDING_USD = 1e-7;

export const spendCapIsKept: Check = async ({ sender: { workspace, plan }, sendClass, now }, db) => {
  const cap = workspace.spendCapUsd ?? plan.spend_cap_usd;
  if (plan.sends_per_month === undefined || plan.overage_usd === undefined || cap === undefined) return null;
  const { units } = await findUsage(db, workspace.id, monthOf(now));
  const spent = overageUsd(units + UNITS_OF[sendClass], plan.sends_per_month, plan.overage_usd);
  return spent > cap + ROUNDING_USD ? { reason: 'monthly_spend_cap_reached' } : null;
};
