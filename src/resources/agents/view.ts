/** Stored agents in the shape that persons see. */

import { isoTime } from '../../kernel/clock.ts';
import type { Agent } from '../../store/accounts/agents.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import type { AgentStateView, AgentView } from './contract.ts';

export const viewAgent = (agent: Agent, workspace: Workspace | null): AgentView => ({
  id: agent.id,
  handle: agent.handle,
  address: agent.address,
  display_name: agent.displayName,
  description: agent.description,
  status: agent.status,
  filter_mode: agent.filterMode,
  hold: agent.hold,
  guard: agent.guard,
  workspace: workspace?.slug ?? null,
  workspace_id: agent.workspaceId,
  mailbox_id: agent.mailboxId,
  domain_id: agent.domainId,
  created_at: isoTime(agent.createdAt),
});

export const viewAgentState = ({ id, handle, status, hold, guard }: Agent): AgentStateView => ({
  id,
  handle,
  status,
  hold,
  guard,
});
