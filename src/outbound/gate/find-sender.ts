/** Who sends, as the gate needs to know it. */

import { type Plans, planOf } from '../../config/plans.ts';
import type { AgentId } from '../../kernel/ids.ts';
import { findAgentById } from '../../store/accounts/agents.ts';
import { findDomainById } from '../../store/accounts/domains.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import type { Db } from '../../store/store.ts';
import type { Sender } from './gate-check.ts';

/** Null where no mailbox backs the agent. */
export const findSender = async (db: Db, agentId: AgentId, plans: Plans): Promise<Sender | null> => {
  const agent = await findAgentById(db, agentId);
  const workspace = agent && (await findWorkspaceById(db, agent.workspaceId));
  const domain = agent && (await findDomainById(db, agent.domainId));
  if (!agent || !workspace || !domain) return null;
  // An agent's own mailbox sends and does not end; those that only receive hold no key.
  const mailbox = { receiveOnly: false, expiresAt: null };
  return { agent, mailbox, workspace, domain, plan: planOf(plans, workspace.plan) };
};
