/** Who calls: a workspace, an agent and a set of scopes, whatever proved it (an API key, an OAuth token). */

import { ApiError } from './errors.ts';
import type { AgentId, KeyId, MailboxId, WorkspaceId } from './ids.ts';

export const SCOPES = ['mail:read', 'mail:send', 'contacts', 'notes', 'vault'] as const;
export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

export interface Caller {
  workspaceId: WorkspaceId;
  agentId: AgentId;
  /** Null where no mailbox backs the agent. */
  mailboxId: MailboxId | null;
  keyId: KeyId;
  scopes: ReadonlySet<Scope>;
}

/** @throws ApiError no_identity where no mailbox backs the caller */
export const mailboxOf = ({ mailboxId }: Caller): MailboxId => {
  if (mailboxId === null) throw new ApiError('no_identity');
  return mailboxId;
};
