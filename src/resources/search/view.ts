import { formatNamed, type NamedAddress } from '../../kernel/address.ts';
import type { AgentCaller } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { ContactId, MailboxId } from '../../kernel/ids.ts';
import type { SearchHit } from '../../store/search/full-text-search.ts';

export const sidesOf = ({ direction, fromName, fromAddress, toList }: SearchHit) => ({
  direction,
  from: { name: fromName, address: fromAddress as NamedAddress['address'] },
  to: JSON.parse(toList) as NamedAddress[],
});

export const viewHit = (hit: SearchHit, { from, to }: ReturnType<typeof sidesOf>, score: number) => ({
  mailboxId: hit.mailboxId,
  message_id: hit.id,
  thread_id: hit.threadId,
  direction: hit.direction,
  from: formatNamed(from),
  to: to.map(formatNamed),
  subject: hit.subject,
  excerpt: hit.excerpt,
  score,
  created_at: isoTime(hit.createdAt),
});

/** A page of the mailboxes together; `caller` is charged for it, and its scopes say whether contacts are named. */
export type SearchMailboxes = (
  caller: Pick<AgentCaller, 'workspaceId' | 'keyId' | 'scopes'>,
  mailboxIds: readonly MailboxId[],
  input: { q: string; limit: number; cursor?: string | undefined },
) => Promise<{
  hits: (ReturnType<typeof viewHit> & { contact_id?: ContactId | null })[];
  next_cursor: string | null;
  partial: boolean;
}>;
