/** Stored agents as mailboxes. */

import { isoTime } from '../../../kernel/clock.ts';
import type { Agent } from '../../../store/accounts/agents.ts';
import type { MailboxView } from './contract.ts';

export const viewMailbox = (agent: Agent): MailboxView => ({
  id: agent.mailboxId,
  handle: agent.handle,
  address: agent.address,
  display_name: agent.displayName,
  description: agent.description,
  domain_id: agent.domainId,
  status: agent.status,
  created_at: isoTime(agent.createdAt),
});
