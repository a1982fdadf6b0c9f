/** Who calls, and what it may do. */

import type { z } from 'zod';
import { ApiError } from '../../kernel/errors.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { findAgentById } from '../../store/accounts/agents.ts';
import { findWorkspaceById } from '../../store/accounts/workspaces.ts';
import type { Db, Store } from '../../store/store.ts';
import type { usageShape } from '../identity/contract.ts';
import type { whoamiContract } from './contract.ts';

export interface WhoamiNeeds {
  store: Store;
  viewUsage: (db: Db, workspaceId: WorkspaceId) => Promise<z.input<typeof usageShape>>;
}

export const createWhoami = ({ store, viewUsage }: WhoamiNeeds): Handlers<typeof whoamiContract> => ({
  whoami: async ({ agentId, workspaceId, scopes }) => {
    const agent = await findAgentById(store.read, agentId);
    const workspace = await findWorkspaceById(store.read, workspaceId);
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
      usage: await viewUsage(store.read, workspaceId),
    };
  },
});
