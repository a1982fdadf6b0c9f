/** The header fields of messages, for reading through many of them. */

import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId, MessageId, ThreadId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { findRow } from '../rows.ts';
import type { Db } from '../store.ts';
import { toBlob } from '../values.ts';
import { messages } from './mail-mappings.ts';
import type { StoredMessage } from './messages.ts';

const head = messages.pick('id', 'threadId', 'direction', 'fromName', 'fromAddress', 'subject', 'unread', 'createdAt');

export type MessageHead = Pick<
  StoredMessage,
  'id' | 'threadId' | 'direction' | 'from' | 'subject' | 'unread' | 'createdAt'
>;

/** Of the mailbox's messages that were stored after a time, oldest first. */
export const listHeadsAfter = async (
  db: Db,
  mailboxId: MailboxId,
  threadId: ThreadId | null,
  after: Millis,
  limit: number,
): Promise<MessageHead[]> => {
  let query = db
    .selectFrom('messages')
    .select(head.names)
    .where('mailbox_id', '=', toBlob(mailboxId))
    .where('created_at', '>', after)
    .orderBy('created_at')
    .limit(limit);
  if (threadId) query = query.where('thread_id', '=', toBlob(threadId));
  return (await query.execute()).map((row) => {
    const { fromName: name, fromAddress: address, ...rest } = head.read(row);
    return { ...rest, from: { name, address } };
  });
};

const about = messages.pick('mailboxId', 'threadId', 'subject');

/** Of any mailbox: the caller looks to whom it belongs. */
export const findMessageHead = (db: Db, id: MessageId): Promise<Entity<typeof about> | null> =>
  findRow(db, messages, { id }, { as: about });
