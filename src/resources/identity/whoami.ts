/** The caller, its workspace and what its key may do. */

import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { findAgentById } from '../../store/accounts/agents.ts';
import type { Store } from '../../store/store.ts';
import type { identityContract } from './contract.ts';
import { type StandingNeeds, viewStanding } from './standing.ts';

export const createWhoami =
  (needs: StandingNeeds & { store: Store }): Handlers<typeof identityContract>['whoami'] =>
  async (caller) => {
    const { read } = needs.store;
    const agent = await findAgentById(read, caller.agentId);
    if (!agent) throw new ApiError('no_identity');
    return {
      id: agent.id,
      handle: agent.handle,
      address: agent.address,
      display_name: agent.displayName,
      description: agent.description,
      mailbox_id: agent.mailboxId,
      filter_mode: agent.filterMode,
      ...(await viewStanding(needs, read, caller)),
    };
  };
