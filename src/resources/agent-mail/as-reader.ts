/**
 * An owner's call in the name of an agent: reads its mail, or sends what the owner writes. The cost counts to the
 * agent's quota.
 */

import { type AgentCaller, emailOfOwner, type OwnerCaller, SCOPES } from '../../kernel/caller.ts';
import { requireFound } from '../../kernel/errors.ts';
import { parseId } from '../../kernel/ids.ts';
import type { Agent } from '../../store/accounts/agents.ts';

/** @throws ApiError agent_not_found */
export const asReader = ({
  id,
  workspaceId,
  mailboxId,
}: Pick<Agent, 'id' | 'workspaceId' | 'mailboxId'>): AgentCaller => {
  const keyId = requireFound(parseId<'key'>(id), 'agent_not_found');
  const scopes = new Set(SCOPES);
  return { kind: 'agent', workspaceId, agentId: id, mailboxId, keyId, isSuspended: false, scopes, reach: 'own' };
};

/** @throws ApiError agent_not_found */
export const asSender = (agent: Parameters<typeof asReader>[0], owner: OwnerCaller): AgentCaller => ({
  ...asReader(agent),
  byOwner: emailOfOwner(owner),
});
