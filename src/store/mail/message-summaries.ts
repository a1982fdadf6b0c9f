/** The header fields of messages, for reading through many of them. */

import type { Millis } from '../../kernel/clock.ts';
import { idToBytes, type MailboxId, type MessageId, type ThreadId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { above, findRow, listRows } from '../rows.ts';
import type { Db } from '../store.ts';
import { messages } from './mail-mappings.ts';
import type { StoredMessage } from './messages.ts';

const head = messages.pick('id', 'threadId', 'direction', 'fromName', 'fromAddress', 'subject', 'unread', 'createdAt');

export type MessageHead = Pick<
  StoredMessage,
  'id' | 'threadId' | 'direction' | 'from' | 'subject' | 'unread' | 'createdAt'
>;

/** Heads of the mailbox's messages that were stored after a time, oldest first. */
export const listHeadsAfter = async (
  db: Db,
  mailboxId: MailboxId,
  threadId: ThreadId | null,
  after: Millis,
  limit: number,
): Promise<MessageHead[]> => {
  const later = { mailboxId, createdAt: above(after), ...(threadId && { threadId }) };
  const found = await listRows(db, messages, later, { order: { createdAt: 'asc' }, limit, as: head });
  return found.map(({ fromName: name, fromAddress: address, ...rest }) => ({ ...rest, from: { name, address } }));
};

const about = messages.pick('mailboxId', 'threadId', 'subject');

/** Finds a message's head in any mailbox. The caller checks that it may be read. */
export const findMessageHead = (db: Db, id: MessageId): Promise<Entity<typeof about> | null> =>
  findRow(db, messages, { id }, { as: about });

const outgoing = messages.pick('id', 'fromName', 'fromAddress', 'rawId', 'approvedDigest');

/** What an attempt needs of a message; `size` in octets, 0 where its bytes were deleted. */
export type OutgoingMessage = Pick<StoredMessage, 'id' | 'from' | 'rawId' | 'approvedDigest'> & { size: number };

const outgoingById = preparedSelect((db, { id, mailboxId }: { id: Uint8Array; mailboxId: Uint8Array }) =>
  db
    .selectFrom('messages')
    .select(outgoing.toRead)
    .select((eb) =>
      eb.selectFrom('raw_messages').select('size').whereRef('raw_messages.id', '=', 'messages.raw_id').as('size'),
    )
    .where('messages.id', '=', id)
    .where('messages.mailbox_id', '=', mailboxId),
);

export const findOutgoingMessage = async (
  db: Db,
  mailboxId: MailboxId,
  id: MessageId,
): Promise<OutgoingMessage | null> => {
  const [row] = await outgoingById(db, { id: idToBytes(id), mailboxId: idToBytes(mailboxId) });
  if (!row) return null;
  const { fromName: name, fromAddress: address, ...rest } = outgoing.read(row);
  return { ...rest, from: { name, address }, size: row.size ?? 0 };
};
