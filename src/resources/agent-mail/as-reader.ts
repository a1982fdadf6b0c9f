/** An agent as the reader of its own mail, for its owner. What the reads cost counts to the agent's share, by its id. */

import { type AgentCaller, SCOPES } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import { parseId } from '../../kernel/ids.ts';
import type { Agent } from '../../store/accounts/agents.ts';

/** @throws ApiError agent_not_found */
export const asReader = ({
  id,
  workspaceId,
  mailboxId,
}: Pick<Agent, 'id' | 'workspaceId' | 'mailboxId'>): AgentCaller => {
  const keyId = parseId<'key'>(id);
  if (!keyId) throw new ApiError('agent_not_found');
  const scopes = new Set(SCOPES);
  return { kind: 'agent', workspaceId, agentId: id, mailboxId, keyId, isSuspended: false, scopes, reach: 'own' };
};
