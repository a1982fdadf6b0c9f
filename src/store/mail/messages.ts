/** Mail: one row for each mailbox with the message. */

import { sql } from 'kysely';
import type { NamedAddress } from '../../kernel/address.ts';
import { type Millis, SECOND } from '../../kernel/clock.ts';
import type { MailboxId, MessageId, ThreadId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedNumberedInsert } from '../prepared-insert.ts';
import { above, deleteRows, findValue, listRows, listStored, literal, plus, updateRows, within } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { messages, threads } from './mail-mappings.ts';
import { deleteMessageText, insertMessageText, type MessageText } from './message-texts.ts';
import { deleteRawMessageIfUnused } from './raw-messages.ts';

export type { StoredAttachment } from './mail-mappings.ts';

type Flat = Entity<typeof messages>;

export interface StoredMessage
  extends Omit<Flat, 'fromName' | 'fromAddress' | 'openCount' | 'firstOpenedAt' | 'lastOpenedAt'> {
  from: NamedAddress;
  opens: { count: number; firstAt: Millis | null; lastAt: Millis | null };
}

const author = messages.pick('fromName', 'fromAddress');
const opens = messages.pick('openCount', 'firstOpenedAt', 'lastOpenedAt');
const rest = messages.omit('fromName', 'fromAddress', 'openCount', 'firstOpenedAt', 'lastOpenedAt');

// By three mappings: to copy an object of thirty fields takes longer than to make it.
const toMessage = (row: Parameters<typeof messages.read>[0]): StoredMessage => {
  const { fromName: name, fromAddress: address } = author.read(row);
  const { openCount: count, firstOpenedAt: firstAt, lastOpenedAt: lastAt } = opens.read(row);
  return Object.assign(rest.read(row), { from: { name, address }, opens: { count, firstAt, lastAt } });
};

type Query = Parameters<typeof listStored<typeof messages.columns>>;

/** Messages with these conditions. */
export const readMessages = async (db: Db, conditions: Query[2], listing: Query[3]): Promise<StoredMessage[]> =>
  (await listStored(db, messages, conditions, listing)).map(toMessage);

/** The columns of a list; the others take SQLite and the mapping a third of the time. */
const listed = messages.omit(
  'seq',
  'mailboxId',
  'doubtful',
  'references',
  'sendClass',
  'openToken',
  'openCount',
  'firstOpenedAt',
  'lastOpenedAt',
  'rawId',
  'approvedDigest',
);

const listedRest = listed.omit('fromName', 'fromAddress');

export type ListedMessage = Pick<StoredMessage, 'from' | keyof Entity<typeof listedRest>>;

/** A time for the mailbox's next message: now, or just after its latest, so that no two of its messages share one. */
export const nextMessageTime = async (tx: Tx, mailboxId: MailboxId, now: Millis): Promise<Millis> => {
  const latest = await findValue(tx.db, messages, 'createdAt', { mailboxId }, { createdAt: 'desc' });
  return latest !== null && latest >= now ? latest + 1 : now;
};

/**
 * A time for a message of the past: `at`, or just after the mailbox's last message of that second, so that messages
 * with whole seconds keep their order.
 */
export const freeMessageTime = async (tx: Tx, mailboxId: MailboxId, at: Millis): Promise<Millis> => {
  for (let width = SECOND; ; width *= 2) {
    const near = { mailboxId, createdAt: within(at, at + width) };
    const latest = await findValue(tx.db, messages, 'createdAt', near, { createdAt: 'desc' });
    if (latest === null) return at;
    if (latest + 1 < at + width) return latest + 1;
  }
};

/** No number is reused: the full-text index may still contain the text of a removed message. */
const nextSeq = sql<number>`(select coalesce(max(seq), 0) + 1 from
  (select max(seq) as seq from messages union all select max(seq) from removed_texts) as given)`;
const insertRow = preparedNumberedInsert(
  messages.omit('seq', 'openCount', 'firstOpenedAt', 'lastOpenedAt'),
  'seq',
  nextSeq,
);

type Optional = 'openToken' | 'via' | 'approvedDigest' | 'sentBy';

export type NewMessage = Omit<StoredMessage, 'seq' | 'opens' | Optional> & Partial<Pick<StoredMessage, Optional>>;

/** Stores the row and its text. `createdAt` comes from {@link nextMessageTime} in the same transaction. */
export const insertMessage = async (
  tx: Tx,
  { from, ...message }: NewMessage,
  text: Omit<MessageText, 'mailboxId' | 'attachments'>,
): Promise<void> => {
  const seq = await insertRow(tx, { ...message, fromName: from.name, fromAddress: from.address });
  const attachments = message.attachments.map(({ filename }) => filename).join('\n');
  await insertMessageText(tx, seq, { ...text, mailboxId: message.mailboxId, attachments });
};

/** A message of this mailbox; null where there is none, or it is another's. */
export const findMessage = async (db: Db, mailboxId: MailboxId, id: MessageId): Promise<StoredMessage | null> =>
  (await readMessages(db, { id, mailboxId }, { limit: 1 }))[0] ?? null;

/** The mailbox's message with that Message-ID, the latest where several have it. */
export const findMessageByRfcId = async (
  db: Db,
  mailboxId: MailboxId,
  rfcMessageId: string,
): Promise<StoredMessage | null> => {
  const latest = { order: { createdAt: 'desc' }, limit: 1 } as const;
  return (await readMessages(db, { mailboxId, rfcMessageId }, latest))[0] ?? null;
};

export interface MessageFilter {
  unreadOnly: boolean;
  includeArchived: boolean;
  threadId: ThreadId | null;
  direction?: 'in' | 'out' | null;
  /** Only messages stored at this time or after it. */
  since?: Millis | null;
  /** Only messages older than each of these. */
  until?: Millis | null;
  before: Millis | null;
  limit: number;
}

const toConditions = (mailboxId: MailboxId, filter: MessageFilter) => {
  const { threadId, direction, since, until, before } = filter;
  const end = Math.min(until ?? Number.MAX_SAFE_INTEGER, before ?? Number.MAX_SAFE_INTEGER);
  return {
    mailboxId,
    ...(filter.unreadOnly && { unread: literal(true) }),
    ...(!filter.includeArchived && { archived: literal(false) }),
    ...(threadId && { threadId }),
    ...(direction && { direction }),
    createdAt: within(since ?? Number.MIN_SAFE_INTEGER, end),
  };
};

const newestFirst = { order: { createdAt: 'desc' } } as const;

/** Newest first: one walk of one index, whatever the filter. */
export const listMessages = async (db: Db, mailboxId: MailboxId, filter: MessageFilter): Promise<ListedMessage[]> => {
  const page = { ...newestFirst, limit: filter.limit, as: listed };
  const rows = await listStored(db, messages, toConditions(mailboxId, filter), page);
  return rows.map((row) =>
    Object.assign(listedRest.read(row), { from: { name: row.from_name, address: row.from_address } }),
  );
};

const authored = messages.pick('fromName', 'fromAddress', 'createdAt');

export type MessageAuthor = Pick<StoredMessage, 'from' | 'createdAt'>;

/** As {@link listMessages}, the authors alone: the lists of recipients and files may be long. */
export const listMessageAuthors = async (
  db: Db,
  mailboxId: MailboxId,
  filter: MessageFilter,
): Promise<MessageAuthor[]> => {
  const page = { ...newestFirst, limit: filter.limit, as: authored };
  const rows = await listRows(db, messages, toConditions(mailboxId, filter), page);
  return rows.map(({ fromName: name, fromAddress: address, createdAt }) => ({ from: { name, address }, createdAt }));
};

/** The mailbox's messages that were stored after a time, oldest first. */
export const listMessagesAfter = (
  db: Db,
  mailboxId: MailboxId,
  after: Millis,
  limit: number,
): Promise<StoredMessage[]> =>
  readMessages(db, { mailboxId, createdAt: above(after) }, { order: { createdAt: 'asc' }, limit });

/** Sets the flags given; the thread's unread count follows. */
export const setMessageFlags = async (
  tx: Tx,
  message: StoredMessage,
  flags: { unread?: boolean | undefined; archived?: boolean | undefined },
): Promise<void> => {
  const unread = flags.unread ?? message.unread;
  const archived = flags.archived ?? message.archived;
  if (unread === message.unread && archived === message.archived) return;
  await updateRows(tx, messages, { seq: message.seq }, { unread, archived });
  const change = Number(unread) - Number(message.unread);
  if (change !== 0) await updateRows(tx, threads, { id: message.threadId }, { unreadCount: plus(change) });
};

export const setMessageStatus = (tx: Tx, id: MessageId, status: string): Promise<void> =>
  updateRows(tx, messages, { id }, { status });

export const addMessageDefect = (tx: Tx, message: StoredMessage, defect: string): Promise<void> =>
  updateRows(tx, messages, { seq: message.seq }, { defects: [...new Set([defect, ...message.defects])] });

/** Counts an open of the message with that token. @returns the message at its first open, else null */
export const countOpen = async (tx: Tx, openToken: string, now: Millis): Promise<StoredMessage | null> => {
  const row = await tx.db
    .updateTable('messages')
    .set((eb) => ({
      open_count: eb('open_count', '+', 1),
      first_opened_at: eb.fn.coalesce('first_opened_at', eb.val(now)),
      last_opened_at: now,
    }))
    .where('open_token', '=', openToken)
    .returningAll()
    .executeTakeFirst();
  return row && row.open_count === 1 ? toMessage(row) : null;
};

/** Deletes the row, its text and, where no other row shares them, its bytes. Its thread keeps its counts. */
export const deleteMessage = async (tx: Tx, message: StoredMessage): Promise<void> => {
  await deleteMessageText(tx, message.seq);
  await deleteRows(tx, messages, { seq: message.seq });
  await deleteRawMessageIfUnused(tx, message.rawId);
};
