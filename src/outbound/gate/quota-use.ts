/** The used part of a workspace's quotas. */

import { findPlan, type Plans } from '../../config/plans.ts';
import type { Millis } from '../../kernel/clock.ts';
import { formatDay, formatMonth, nextDay, nextMonth } from '../../kernel/utc-period.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { findUsage } from '../../store/sending/usage.ts';
import type { Db } from '../../store/store.ts';
import { UNITS_OF } from './quota-checks.ts';

export interface QuotaUse {
  /** In sends; a reply counts a tenth. */
  sent: number;
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
  const sentIn = async (period: string) => (await findUsage(db, workspace.id, period)).units / UNITS_OF.cold;
  return {
    day: { sent: await sentIn(formatDay(now)), limit: perDay, resetsAt: nextDay(now) },
    month: { sent: await sentIn(formatMonth(now)), limit: perMonth, resetsAt: nextMonth(now) },
  };
};
