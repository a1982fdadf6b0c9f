/** The sends and the spend of a workspace, beside its plan's quota. */

import { findPlan, type Plans } from '../../config/plans.ts';
import type { Millis } from '../../kernel/clock.ts';
import { formatDay, formatMonth } from '../../kernel/utc-period.ts';
import { overageUsd, UNITS_OF } from '../../outbound/gate/quota-checks.ts';
import { sentMails } from '../../outbound/gate/quota-use.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { findUsage, type Usage } from '../../store/sending/usage.ts';
import type { Db } from '../../store/store.ts';
import type { WorkspaceUsageView } from './contract.ts';

/** Sends counted against the plan: a reply counts a tenth. */
const quotaUsed = ({ units }: Usage): number => units / UNITS_OF.cold;

export const findWorkspaceUsage = async (
  db: Db,
  plans: Plans,
  workspace: Workspace,
  now: Millis,
): Promise<WorkspaceUsageView> => {
  const plan = findPlan(plans, workspace.plan);
  const day = await findUsage(db, workspace.id, formatDay(now));
  const month = await findUsage(db, workspace.id, formatMonth(now));
  const { sends_per_month: perMonth, overage_usd: price } = plan;
  return {
    sent_today: sentMails(day),
    quota_used_today: quotaUsed(day),
    sends_per_day: plan.sends_per_day ?? null,
    sent_this_month: sentMails(month),
    quota_used_this_month: quotaUsed(month),
    sends_per_month: perMonth ?? null,
    spent_usd: perMonth === undefined || price === undefined ? 0 : overageUsd(month.units, perMonth, price),
    spend_cap_usd: workspace.spendCapUsd ?? plan.spend_cap_usd ?? null,
  };
};
