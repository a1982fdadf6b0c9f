/** The used part of a workspace's quotas. */

import { findPlan, type Plans } from '../../config/plans.ts';
import type { Millis } from '../../kernel/clock.ts';
import { formatDay, formatMonth, nextDay, nextMonth } from '../../kernel/utc-period.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { findUsage, type Usage } from '../../store/sending/usage.ts';
import type { Db } from '../../store/store.ts';
import { UNITS_OF } from './quota-checks.ts';

/** The number of mails; a reply counts as one. */
export const sentMails = ({ units, cold }: Usage): number => cold + (units - cold * UNITS_OF.cold) / UNITS_OF.reply;

export interface QuotaUse {
  /** In sends; a reply counts a tenth. */
  sent: number;
  /** The number of mails; a reply counts as one. */
  mails: number;
  /** In sends; null: no quota. */
  limit: number | null;
  resetsAt: Millis;
}

export const findQuotaUse = async (
  db: Db,
  plans: Plans,
  workspace: Workspace,
  now: Millis,
): Promise<Record<'day' | 'month', QuotaUse>> => {
  const { sends_per_day: perDay = null, sends_per_month: perMonth = null } = findPlan(plans, workspace.plan);
  const usedIn = async (period: string) => {
    const usage = await findUsage(db, workspace.id, period);
    return { sent: usage.units / UNITS_OF.cold, mails: sentMails(usage) };
  };
  return {
    day: { ...(await usedIn(formatDay(now))), limit: perDay, resetsAt: nextDay(now) },
    month: { ...(await usedIn(formatMonth(now))), limit: perMonth, resetsAt: nextMonth(now) },
  };
};
