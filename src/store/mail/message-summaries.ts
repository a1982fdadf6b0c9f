/** Mail by what it says of itself, for looking through much of it. */

import type { NamedAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId, ThreadId } from '../../kernel/ids.ts';
import type { Db } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';
import type { StoredMessage } from './messages.ts';

export type MessageHead = Pick<StoredMessage, 'id' | 'threadId' | 'direction' | 'from' | 'subject' | 'createdAt'>;

/** What the mailbox's messages say of themselves that were stored after a time, oldest first. */
export const listHeadsAfter = async (
  db: Db,
  mailboxId: MailboxId,
  threadId: ThreadId | null,
  after: Millis,
  limit: number,
): Promise<MessageHead[]> => {
  let query = db
    .selectFrom('messages')
    .select(['id', 'thread_id', 'direction', 'from_name', 'from_address', 'subject', 'created_at'])
    .where('mailbox_id', '=', toBlob(mailboxId))
    .where('created_at', '>', after)
    .orderBy('created_at')
    .limit(limit);
  if (threadId) query = query.where('thread_id', '=', toBlob(threadId));
  return (await query.execute()).map((row) => ({
    id: fromBlob(row.id),
    threadId: fromBlob(row.thread_id),
    direction: row.direction,
    from: { name: row.from_name, address: row.from_address as NamedAddress['address'] },
    subject: row.subject,
    createdAt: row.created_at,
  }));
};
