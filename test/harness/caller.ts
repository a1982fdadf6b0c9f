/** Callers, for tests that need no authentication. */

import type { AgentCaller } from '../../src/kernel/caller.ts';
import type { AgentId, KeyId, MailboxId, WorkspaceId } from '../../src/kernel/ids.ts';

/** An agent without a scope, but for what is given of it. */
export const agentCaller = (given: Partial<Omit<AgentCaller, 'kind'>> = {}): AgentCaller => ({
  kind: 'agent',
  isSuspended: false,
  workspaceId: 'w' as WorkspaceId,
  agentId: 'a' as AgentId,
  mailboxId: 'm' as MailboxId,
  keyId: 'k' as KeyId,
  scopes: new Set(),
  reach: 'own',
  ...given,
});
