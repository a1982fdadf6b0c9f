/** Limits the mailboxes of a workspace. */

import { findPlan, type Plans } from '../../config/plans.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { countAgents } from '../../store/accounts/agents.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import type { Db } from '../../store/store.ts';

/** Mailboxes of a workspace on any plan: a list shows every mailbox, and an agent's mistake is billed. */
const MAX_MAILBOXES = 1_000;

export interface MailboxAllowance {
  /** Null: the plan has no limit. */
  included: number | null;
  /** Whether further ones are billed; else they are refused. */
  isExtended: boolean;
}

export const findMailboxAllowance = async (
  db: Db,
  plans: Plans,
  workspaceId: WorkspaceId,
): Promise<MailboxAllowance> => {
  const workspace = await findWorkspaceById(db, workspaceId);
  const { inboxes = null, extra_inbox_usd: price } = findPlan(plans, workspace?.plan ?? '');
  return { included: inboxes, isExtended: price !== undefined };
};

/** @throws ApiError mailbox_limit_reached where a further mailbox is neither included nor billed */
export const requireMailboxRoom = async (db: Db, plans: Plans, workspaceId: WorkspaceId): Promise<void> => {
  const { included, isExtended } = await findMailboxAllowance(db, plans, workspaceId);
  const most = included === null || isExtended ? MAX_MAILBOXES : Math.min(included, MAX_MAILBOXES);
  const used = await countAgents(db, workspaceId);
  if (used >= most) throw new ApiError('mailbox_limit_reached', { fields: { included: most, used } });
};
