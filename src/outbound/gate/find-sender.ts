/** Reads the sender of a send: agent, workspace, domain, plan. */

import { findPlan, type Plans } from '../../config/plans.ts';
import type { AgentId } from '../../kernel/ids.ts';
import { findAgentById } from '../../store/accounts/agents.ts';
import { findDomainOfAgent } from '../../store/accounts/domains.ts';
import { findWorkspaceOfAgent } from '../../store/accounts/workspaces.ts';
import type { Db } from '../../store/store.ts';
import type { Sender } from './gate-check.ts';

/** Null where the agent, its workspace or its domain is gone. */
export const findSender = async (db: Db, agentId: AgentId, plans: Plans): Promise<Sender | null> => {
  const [agent, workspace, domain] = await Promise.all([
    findAgentById(db, agentId),
    findWorkspaceOfAgent(db, agentId),
    findDomainOfAgent(db, agentId),
  ]);
  if (!agent || !workspace || !domain) return null;
  // An agent's own mailbox may send and does not expire; temporary, receive-only ones have no key.
  const mailbox = { receiveOnly: false, expiresAt: null };
  return { agent, mailbox, workspace, domain, plan: findPlan(plans, workspace.plan) };
};
