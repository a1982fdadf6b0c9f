/** The quotas of a workspace: used, and left. */

import type { z } from 'zod';
import { isoTime } from '../../kernel/clock.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { formatDay, nextDay } from '../../kernel/utc-period.ts';
import { coldOfOwners } from '../../outbound/gate/quota-checks.ts';
import { findQuotaUse, type QuotaUse } from '../../outbound/gate/quota-use.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import type { Db } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import type { usageShape } from './contract.ts';

export type UsageNeeds = Needs<'plans' | 'clock'>;

const viewQuota = ({ sent, mails, limit, resetsAt }: QuotaUse) => ({
  sent,
  mails,
  units: sent,
  limit,
  resets_at: isoTime(resetsAt),
});

export const findUsageView = async (
  { plans, clock }: UsageNeeds,
  db: Db,
  workspaceId: WorkspaceId,
): Promise<z.input<typeof usageShape>> => {
  const workspace = await findWorkspaceById(db, workspaceId);
  if (!workspace) throw new Error('An agent without a workspace.');
  const now = clock.now();
  const { day, month } = await findQuotaUse(db, plans, workspace, now);
  const cold =
    workspace.tier === 'probation'
      ? {
          sent: await coldOfOwners(db, workspace, formatDay(now)),
          limit: plans.probation.cold_sends_per_day,
          resets_at: isoTime(nextDay(now)),
        }
      : null;
  return { day: viewQuota(day), month: viewQuota(month), cold, sending_state: workspace.sendingState };
};
