/** What a workspace has sent and may still send, as a person sees it. */

import type { Box } from '../box.ts';
import { planOf } from '../kernel/plans.ts';
import { dayOf, monthOf } from '../kernel/utc-period.ts';
import { overageUsd } from '../outbound/quota-checks.ts';
import { findUsage } from '../store/usage.ts';
import type { Workspace } from '../store/workspaces.ts';

/** Tenths of a send are what is counted; sends are what is shown. */
const UNITS_PER_SEND = 10;

export const viewUsage = async ({ store, plans, surroundings }: Box, workspace: Workspace) => {
  const now = surroundings.clock.now();
  const plan = planOf(plans, workspace.plan);
  const day = await findUsage(store.read, workspace.id, dayOf(now));
  const month = await findUsage(store.read, workspace.id, monthOf(now));
  const { sends_per_month: perMonth, overage_usd: price } = plan;
  return {
    sent_today: day.units / UNITS_PER_SEND,
    sends_per_day: plan.sends_per_day ?? null,
    sent_this_month: month.units / UNITS_PER_SEND,
    sends_per_month: perMonth ?? null,
    spent_usd: perMonth === undefined || price === undefined ? 0 : overageUsd(month.units, perMonth, price),
    spend_cap_usd: workspace.spendCapUsd ?? plan.spend_cap_usd ?? null,
  };
};
