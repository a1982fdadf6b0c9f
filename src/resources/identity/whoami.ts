/** The caller, its workspace and what its key may do. */

import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { findAgentById } from '../../store/accounts/agents.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import type { Store } from '../../store/store.ts';
import type { identityContract } from './contract.ts';
import { findUsageView, type UsageNeeds } from './usage.ts';

export const createWhoami =
  (needs: UsageNeeds & { store: Store }): Handlers<typeof identityContract>['whoami'] =>
  async ({ agentId, workspaceId, scopes }) => {
    const { read } = needs.store;
    const agent = await findAgentById(read, agentId);
    const workspace = await findWorkspaceById(read, workspaceId);
    if (!agent || !workspace) throw new ApiError('no_identity');
    return {
      id: agent.id,
      handle: agent.handle,
      address: agent.address,
      display_name: agent.displayName,
      description: agent.description,
      mailbox_id: agent.mailboxId,
      filter_mode: agent.filterMode,
      held: agent.hold,
      workspace: { id: workspace.id, name: workspace.name },
      scopes: [...scopes],
      usage: await findUsageView(needs, read, workspaceId),
    };
  };
