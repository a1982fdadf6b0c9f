/** Mail, one row for each mailbox that has it. */

import { type Selectable, sql } from 'kysely';
import type { Address, NamedAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId, MessageId, ThreadId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect, preparedUpdate } from '../prepared-query.ts';
import type { Schema } from '../schema.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob, toFlag } from '../values.ts';
import { deleteMessageText, insertMessageText, type MessageText } from './message-texts.ts';
import { deleteRawMessageIfUnused } from './raw-messages.ts';

export interface StoredAttachment {
  filename: string;
  contentType: string;
  size: number;
  /** What links within the mail name it by; mail stored by older versions does not say. */
  contentId?: string | null;
}

/** RFC 8601 result words. */
export interface StoredAuthentication {
  spf: string;
  dkim: string;
  dmarc: string;
  /** Left out of mail that older versions stored. */
  arc?: string;
  from_domain: string | null;
  /** Whether a passing check stands for the From's domain; mail stored by older versions does not say. */
  aligned?: boolean;
}

export interface StoredMessage {
  seq: number;
  id: MessageId;
  mailboxId: MailboxId;
  threadId: ThreadId;
  direction: 'in' | 'out';
  from: NamedAddress;
  to: NamedAddress[];
  cc: NamedAddress[];
  replyTo: NamedAddress[];
  subject: string;
  snippet: string;
  unread: boolean;
  archived: boolean;
  status: string;
  spamVerdict: 'PASS' | 'FAIL' | 'UNKNOWN' | null;
  authentication: StoredAuthentication | null;
  /** Whether the checks speak against who it says it is from, or could not be made; of mail that came in. */
  doubtful: boolean;
  /** With its angle brackets. */
  rfcMessageId: string | null;
  inReplyTo: string | null;
  references: string[];
  /** Sent by a machine on its own: RFC 3834, lists, null senders. */
  automatic: boolean;
  sendClass: 'reply' | 'cold' | null;
  attachments: StoredAttachment[];
  /** What it has against the standard, or what could not be read; of mail that came in. */
  defects: string[];
  /** What its image is fetched by; null where opens are not counted. */
  openToken: string | null;
  opens: { count: number; firstAt: Millis | null; lastAt: Millis | null };
  rawId: number;
  createdAt: Millis;
}

type Row = Selectable<Schema['messages']>;

export const messageFromRow = (row: Row): StoredMessage => ({
  seq: row.seq,
  id: fromBlob(row.id),
  mailboxId: fromBlob(row.mailbox_id),
  threadId: fromBlob(row.thread_id),
  direction: row.direction,
  from: { name: row.from_name, address: row.from_address as NamedAddress['address'] },
  to: JSON.parse(row.to_list) as NamedAddress[],
  cc: JSON.parse(row.cc_list) as NamedAddress[],
  replyTo: JSON.parse(row.reply_to) as NamedAddress[],
  subject: row.subject,
  snippet: row.snippet,
  unread: row.unread === 1,
  archived: row.archived === 1,
  status: row.status,
  spamVerdict: row.spam_verdict as StoredMessage['spamVerdict'],
  authentication: row.authentication === null ? null : (JSON.parse(row.authentication) as StoredAuthentication),
  doubtful: row.doubtful === 1,
  rfcMessageId: row.rfc_message_id,
  inReplyTo: row.in_reply_to,
  references: JSON.parse(row.reference_ids) as string[],
  automatic: row.automatic === 1,
  sendClass: row.send_class,
  attachments: JSON.parse(row.attachments) as StoredAttachment[],
  defects: JSON.parse(row.defects) as string[],
  openToken: row.open_token,
  opens: { count: row.open_count, firstAt: row.first_opened_at, lastAt: row.last_opened_at },
  rawId: row.raw_id,
  createdAt: row.created_at,
});

const latestTime = preparedSelect((db, mailboxId: Uint8Array) =>
  db
    .selectFrom('messages')
    .select('created_at')
    .where('mailbox_id', '=', mailboxId)
    .orderBy('created_at', 'desc')
    .limit(sql.lit(1)),
);

/** A time for the mailbox's next message: now, or just after its latest, so that no two of its messages share one. */
export const nextMessageTime = async (tx: Tx, mailboxId: MailboxId, now: Millis): Promise<Millis> => {
  const [latest] = await latestTime(tx.db, toBlob(mailboxId));
  return latest && latest.created_at >= now ? latest.created_at + 1 : now;
};

const insertRow = preparedInsert('messages', [
  'id',
  'mailbox_id',
  'thread_id',
  'direction',
  'from_name',
  'from_address',
  'to_list',
  'cc_list',
  'reply_to',
  'subject',
  'snippet',
  'unread',
  'archived',
  'status',
  'spam_verdict',
  'authentication',
  'doubtful',
  'rfc_message_id',
  'in_reply_to',
  'reference_ids',
  'automatic',
  'send_class',
  'attachments',
  'defects',
  'open_token',
  'raw_id',
  'created_at',
]);

/** Stores the row and indexes its words. `createdAt` comes from {@link nextMessageTime} in the same transaction. */
export const insertMessage = async (
  tx: Tx,
  { openToken = null, ...message }: Omit<StoredMessage, 'seq' | 'opens' | 'openToken'> & { openToken?: string | null },
  text: Omit<MessageText, 'mailboxId' | 'attachments'>,
): Promise<void> => {
  const seq = await insertRow(tx, {
    id: toBlob(message.id),
    mailbox_id: toBlob(message.mailboxId),
    thread_id: toBlob(message.threadId),
    direction: message.direction,
    from_name: message.from.name,
    from_address: message.from.address,
    to_list: JSON.stringify(message.to),
    cc_list: JSON.stringify(message.cc),
    reply_to: JSON.stringify(message.replyTo),
    subject: message.subject,
    snippet: message.snippet,
    unread: toFlag(message.unread),
    archived: toFlag(message.archived),
    status: message.status,
    spam_verdict: message.spamVerdict,
    authentication: message.authentication && JSON.stringify(message.authentication),
    doubtful: toFlag(message.doubtful),
    rfc_message_id: message.rfcMessageId,
    in_reply_to: message.inReplyTo,
    reference_ids: JSON.stringify(message.references),
    automatic: toFlag(message.automatic),
    send_class: message.sendClass,
    attachments: JSON.stringify(message.attachments),
    defects: JSON.stringify(message.defects),
    open_token: openToken,
    raw_id: message.rawId,
    created_at: message.createdAt,
  });
  const attachments = message.attachments.map(({ filename }) => filename).join('\n');
  await insertMessageText(tx, seq, { ...text, mailboxId: message.mailboxId, attachments });
};

/** A message of this mailbox; null where there is none, or it is another's. */
const byId = preparedSelect((db, id: Uint8Array, mailboxId: Uint8Array) =>
  db.selectFrom('messages').selectAll().where('id', '=', id).where('mailbox_id', '=', mailboxId),
);

export const findMessage = async (db: Db, mailboxId: MailboxId, id: MessageId): Promise<StoredMessage | null> => {
  const [row] = await byId(db, toBlob(id), toBlob(mailboxId));
  return row ? messageFromRow(row) : null;
};

/** The mailbox's message with that Message-ID, the latest where several have it. */
export const findMessageByRfcId = async (
  db: Db,
  mailboxId: MailboxId,
  rfcId: string,
): Promise<StoredMessage | null> => {
  const row = await db
    .selectFrom('messages')
    .selectAll()
    .where('mailbox_id', '=', toBlob(mailboxId))
    .where('rfc_message_id', '=', rfcId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? messageFromRow(row) : null;
};

export interface MessageFilter {
  unreadOnly: boolean;
  includeArchived: boolean;
  threadId: ThreadId | null;
  direction?: 'in' | 'out' | null;
  /** Only mail of this author. */
  from?: Address | null;
  /** Only messages stored at this time or after it. */
  since?: Millis | null;
  /** Only messages older than each of these. */
  until?: Millis | null;
  before: Millis | null;
  limit: number;
}

/** Newest first: one walk of one index, whatever the filter. */
export const listMessages = async (db: Db, mailboxId: MailboxId, filter: MessageFilter): Promise<StoredMessage[]> => {
  let query = db
    .selectFrom('messages')
    .selectAll()
    .where('mailbox_id', '=', toBlob(mailboxId))
    .orderBy('created_at', 'desc')
    .limit(filter.limit);
  // Literals, not parameters: SQLite takes a partial index only where the query's text implies its condition.
  if (filter.unreadOnly) query = query.where((eb) => eb('unread', '=', eb.lit(1)));
  if (!filter.includeArchived) query = query.where((eb) => eb('archived', '=', eb.lit(0)));
  if (filter.threadId) query = query.where('thread_id', '=', toBlob(filter.threadId));
  if (filter.direction) query = query.where('direction', '=', filter.direction);
  if (filter.from) query = query.where(sql`lower(from_address)`, '=', sql`lower(${filter.from})`);
  if (filter.since != null) query = query.where('created_at', '>=', filter.since);
  if (filter.until != null) query = query.where('created_at', '<', filter.until);
  if (filter.before !== null) query = query.where('created_at', '<', filter.before);
  return (await query.execute()).map(messageFromRow);
};

/** The mailbox's messages that were stored after a time, oldest first. */
export const listMessagesAfter = async (
  db: Db,
  mailboxId: MailboxId,
  threadId: ThreadId | null,
  after: Millis,
  limit: number,
): Promise<StoredMessage[]> => {
  let query = db
    .selectFrom('messages')
    .selectAll()
    .where('mailbox_id', '=', toBlob(mailboxId))
    .where('created_at', '>', after)
    .orderBy('created_at')
    .limit(limit);
  if (threadId) query = query.where('thread_id', '=', toBlob(threadId));
  return (await query.execute()).map(messageFromRow);
};

/** When the mailbox's latest message was stored; 0 where it has none. */
export const findLatestMessageTime = async (db: Db, mailboxId: MailboxId): Promise<Millis> =>
  (await latestTime(db, toBlob(mailboxId)))[0]?.created_at ?? 0;

/** Sets the flags given; the thread's unread count follows. */
export const setMessageFlags = async (
  tx: Tx,
  message: StoredMessage,
  flags: { unread?: boolean | undefined; archived?: boolean | undefined },
): Promise<void> => {
  const unread = flags.unread ?? message.unread;
  const archived = flags.archived ?? message.archived;
  if (unread === message.unread && archived === message.archived) return;
  await tx.db
    .updateTable('messages')
    .set({ unread: toFlag(unread), archived: toFlag(archived) })
    .where('seq', '=', message.seq)
    .execute();
  const change = Number(unread) - Number(message.unread);
  if (change !== 0) {
    await tx.db
      .updateTable('threads')
      .set((eb) => ({ unread_count: eb('unread_count', '+', change) }))
      .where('id', '=', toBlob(message.threadId))
      .execute();
  }
};

const updateStatus = preparedUpdate((db, status: string, id: Uint8Array) =>
  db.updateTable('messages').set({ status }).where('id', '=', id),
);

export const setMessageStatus = async (tx: Tx, id: MessageId, status: string): Promise<void> => {
  await updateStatus(tx, status, toBlob(id));
};

/** Adds to what is known against a message. */
export const addMessageDefect = async (tx: Tx, message: StoredMessage, defect: string): Promise<void> => {
  const defects = JSON.stringify([...new Set([defect, ...message.defects])]);
  await tx.db.updateTable('messages').set({ defects }).where('seq', '=', message.seq).execute();
};

/** An open of the mail that has that token, if any does. Counted, and nothing depends on it. */
export const countOpen = async (tx: Tx, openToken: string, now: Millis): Promise<void> => {
  await tx.db
    .updateTable('messages')
    .set((eb) => ({
      open_count: eb('open_count', '+', 1),
      first_opened_at: eb.fn.coalesce('first_opened_at', eb.val(now)),
      last_opened_at: now,
    }))
    .where('open_token', '=', openToken)
    .execute();
};

/** Takes the row, its words and, where no other row shares them, its bytes. The thread's counts are the caller's. */
export const deleteMessage = async (tx: Tx, message: StoredMessage): Promise<void> => {
  await deleteMessageText(tx, message.seq);
  await tx.db.deleteFrom('messages').where('seq', '=', message.seq).execute();
  await deleteRawMessageIfUnused(tx, message.rawId);
};
