/** Stored agents in the shape that persons see. */

import { viewOf } from '../../access/view-of.ts';
import type { Agent } from '../../store/accounts/agents.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { agentShape, agentStateShape } from './contract.ts';

export const viewAgent = viewOf(agentShape, (_agent: Agent, workspace: Workspace | null) => ({
  workspace: workspace?.slug ?? null,
}));

export const viewAgentState = viewOf(agentStateShape);
