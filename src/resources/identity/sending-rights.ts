/** An agent's present rights: the send gate's checks for a first mail, and the limits of its key and workspace. */

import type { z } from 'zod';
import type { Plans } from '../../config/plans.ts';
import type { AgentCaller } from '../../kernel/caller.ts';
import { isoTime, isoTimeOrNull, type Millis } from '../../kernel/clock.ts';
import { formatDay, nextDay } from '../../kernel/utc-period.ts';
import { findSender } from '../../outbound/gate/find-sender.ts';
import type { KnownSend } from '../../outbound/gate/gate-check.ts';
import { checkSend } from '../../outbound/gate/gate-checks.ts';
import { holdReason } from '../../outbound/gate/hold.ts';
import { coldOfOwners } from '../../outbound/gate/quota-checks.ts';
import { findQuotaUse, type QuotaUse } from '../../outbound/gate/quota-use.ts';
import { hintOfRejection } from '../../outbound/gate/rejections.ts';
import { findLapse, isUnclaimed } from '../../store/accounts/claims.ts';
import { findWorkspaceById, type Workspace } from '../../store/accounts/workspaces.ts';
import type { Db } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import type { usageShape } from './contract.ts';

const viewQuota = ({ sent, mails, limit, resetsAt }: QuotaUse) => ({
  sent,
  mails,
  units: sent,
  limit,
  resets_at: isoTime(resetsAt),
});

/** The quotas of a workspace: used, and left. */
const findUsage = async (
  db: Db,
  plans: Plans,
  workspace: Workspace,
  now: Millis,
): Promise<z.input<typeof usageShape>> => {
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

const claimState = (workspace: Workspace) => {
  if (isUnclaimed(workspace)) return 'unclaimed' as const;
  return workspace.claimedAt === null ? ('not_needed' as const) : ('claimed' as const);
};

export const viewRights = async (
  { plans, clock, isLocalOnly }: Needs<'plans' | 'clock' | 'isLocalOnly'>,
  db: Db,
  { agentId, workspaceId, scopes, reach }: AgentCaller,
) => {
  const workspace = await findWorkspaceById(db, workspaceId);
  const sender = await findSender(db, agentId, plans);
  if (!workspace || !sender) throw new Error('An agent without a workspace.');
  const now = clock.now();
  const first: KnownSend = {
    sender,
    recipients: [],
    attachmentBytes: 0,
    parent: null,
    sendClass: 'cold',
    bodyHash: null,
    secrets: [],
    plans,
    isLocalOnly,
    now,
  };
  const refusal = (await checkSend(first, db, 'hold')) ?? (await checkSend(first, db, 'sending'));
  const heldReason = await holdReason(first, db);
  const usage = await findUsage(db, plans, workspace, now);
  const count = (name: string, { units, limit }: { units: number; limit: number | null }) =>
    limit === null ? `no limit a ${name}` : `${units} of ${limit} used this ${name}`;
  const until = refusal?.retryAt === undefined ? '' : ` Until ${isoTime(refusal.retryAt)}.`;
  return {
    can_send: {
      now: refusal === null,
      reason: refusal?.reason ?? null,
      hint: refusal
        ? `${hintOfRejection(refusal)}${until}`
        : `${heldReason ? 'A person reviews it first. ' : ''}Sends: ${count('day', usage.day)}, ${count('month', usage.month)}.`,
    },
    held: sender.agent.hold,
    held_reason: heldReason,
    scopes: [...scopes],
    reach,
    workspace: { id: workspace.id, name: workspace.name },
    claim: { state: claimState(workspace), claim_by: isoTimeOrNull(findLapse(workspace)) },
    mode: isLocalOnly ? ('local' as const) : ('internet' as const),
    time: isoTime(now),
    usage,
  };
};
