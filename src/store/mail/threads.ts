/** Threads, each with its counts and the text for lists on its row. */

import { sql } from 'kysely';
import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { idFromHex, idToBytes, type MailboxId, type ThreadId } from '../../kernel/ids.ts';
import { type Entity, hexOf } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedListSelect } from '../prepared-statement.ts';
import { deleteRows, findRow, listRows, updateRows, within } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { messages, threads } from './mail-mappings.ts';
import { deleteMessage, type StoredMessage } from './messages.ts';

const shown = threads.omit('baseSubject');
/** `participants` as shown: `Name <a@b>`, at most {@link MAX_PARTICIPANTS}. */
export type StoredThread = Entity<typeof shown>;

/** The fields that a message adds to its thread. */
export interface ThreadEntry {
  subject: string;
  snippet: string;
  participants: string[];
  unread: boolean;
  at: Millis;
}

/** A thread of a busy mailing list has thousands; a list of threads shows a few. */
const MAX_PARTICIPANTS = 20;

/** Rows of earlier versions list an address under each of its spellings. */
const toShown = (thread: StoredThread): StoredThread => ({
  ...thread,
  participants: mergeParticipants([], thread.participants),
});

/** The address of a participant, as addresses are compared. */
const addressIn = (participant: string): string => (/<([^<>]*)>$/.exec(participant)?.[1] ?? participant).toLowerCase();

/** Each address once, with its first name. */
const mergeParticipants = (known: string[], more: string[]): string[] => {
  const byAddress = new Map<string, string>();
  for (const participant of [...known, ...more]) {
    const address = addressIn(participant);
    const before = byAddress.get(address);
    const isNamed = participant.endsWith('>');
    if (before === undefined || (isNamed && !before.endsWith('>'))) byAddress.set(address, participant);
  }
  return [...byAddress.values()].slice(0, MAX_PARTICIPANTS);
};

const insertRow = preparedInsert(threads);

const insertThread = (
  tx: Tx,
  id: ThreadId,
  mailboxId: MailboxId,
  baseSubject: string,
  { subject, snippet, participants, unread, at }: ThreadEntry,
): Promise<void> =>
  insertRow(tx, {
    id,
    mailboxId,
    subject,
    baseSubject,
    snippet,
    participants: mergeParticipants([], participants),
    messageCount: 1,
    unreadCount: Number(unread),
    lastMessageAt: at,
  });

const addToThread = async (tx: Tx, id: ThreadId, entry: ThreadEntry): Promise<void> => {
  const thread = await findRow(tx.db, threads, { id }, { as: threads.pick('participants') });
  await tx.db
    .updateTable('threads')
    .set((eb) => ({
      // The snippet is the latest message's, which an imported one need not be.
      snippet: eb.case().when('last_message_at', '<=', entry.at).then(entry.snippet).else(eb.ref('snippet')).end(),
      participants: JSON.stringify(mergeParticipants(thread?.participants ?? [], entry.participants)),
      message_count: eb('message_count', '+', 1),
      unread_count: eb('unread_count', '+', Number(entry.unread)),
      last_message_at: eb
        .case()
        .when('last_message_at', '<=', entry.at)
        .then(entry.at)
        .else(eb.ref('last_message_at'))
        .end(),
    }))
    .where('id', '=', idToBytes(id))
    .execute();
};

/** Adds to the thread where it is given and still there; else begins one. @returns the thread */
export const joinOrBeginThread = async (
  tx: Tx,
  thread: { known: ThreadId | null; orNew: ThreadId },
  mailboxId: MailboxId,
  baseSubject: string,
  entry: ThreadEntry,
): Promise<ThreadId> => {
  const known = thread.known && (await findThread(tx.db, mailboxId, thread.known));
  if (known) await addToThread(tx, known.id, entry);
  else await insertThread(tx, thread.orNew, mailboxId, baseSubject, entry);
  return known ? known.id : thread.orNew;
};

const last = messages.pick('snippet', 'createdAt');

/** Counts what is left in a thread, and deletes one that is empty. */
const recountThread = async (tx: Tx, id: ThreadId): Promise<void> => {
  const counts = await tx.db
    .selectFrom('messages')
    .where('thread_id', '=', idToBytes(id))
    .select((eb) => [eb.fn.countAll<number>().as('messages'), eb.fn.sum<number | string | null>('unread').as('unread')])
    .executeTakeFirstOrThrow();
  if (Number(counts.messages) === 0) {
    await deleteRows(tx, threads, { id });
    return;
  }
  const latest = await findRow(tx.db, messages, { threadId: id }, { order: { createdAt: 'desc' }, as: last });
  await updateRows(
    tx,
    threads,
    { id },
    {
      messageCount: Number(counts.messages),
      unreadCount: Number(counts.unread ?? 0),
      snippet: latest?.snippet,
      lastMessageAt: latest?.createdAt,
    },
  );
};

export const findThread = async (db: Db, mailboxId: MailboxId, id: ThreadId): Promise<StoredThread | null> => {
  const thread = await findRow(db, threads, { id, mailboxId }, { as: shown });
  return thread && toShown(thread);
};

type Position = { at: Millis; id: ThreadId } | null;

/** Most recent first, those after `position`. */
export const listThreads = async (
  db: Db,
  mailboxId: MailboxId,
  position: Position,
  limit: number,
): Promise<StoredThread[]> => {
  const order = { lastMessageAt: 'desc', id: 'desc' } as const;
  const behind = position && { lastMessageAt: position.at, id: position.id };
  return (await listRows(db, threads, { mailboxId }, { order, behind, limit, as: shown })).map(toShown);
};

/** A thread is archived once all its mail is. */
export interface MarkedThread extends StoredThread {
  archived: boolean;
  /** Whether one of its messages is; so are the next two. */
  doubtful: boolean;
  bounced: boolean;
  hasFiles: boolean;
}

const marksOf = preparedListSelect((db, _values, ids) =>
  db
    .selectFrom('messages')
    .select((eb) => [
      hexOf(eb.ref('thread_id')).as('thread'),
      eb.fn.min('archived').as('archived'),
      eb.fn.max('doubtful').as('doubtful'),
      sql<number>`max(case when status in ('bounced', 'complained') then 1 else 0 end)`.as('bounced'),
      sql<number>`max(case when attachments <> '[]' then 1 else 0 end)`.as('files'),
    ])
    .where('thread_id', 'in', ids as Uint8Array[])
    .groupBy('thread_id'),
);

/** As {@link listThreads}, each with its marks. */
export const listMarkedThreads = async (...page: Parameters<typeof listThreads>): Promise<MarkedThread[]> => {
  const listed = await listThreads(...page);
  const marks = await marksOf(
    page[0],
    {},
    listed.map(({ id }) => idToBytes(id)),
  );
  const byId = new Map(marks.map((each) => [idFromHex<'thread'>(each.thread), each]));
  return listed.map((thread) => {
    const { archived, doubtful, bounced, files } = byId.get(thread.id) ?? {};
    return {
      ...thread,
      archived: archived !== 0,
      doubtful: doubtful === 1,
      bounced: bounced === 1,
      hasFiles: files === 1,
    };
  });
};

/** Threads of one subject that are searched for a correspondent, so that a common subject costs no more. */
const MAX_SAME_SUBJECT = 20;
const ofSubject = threads.pick('id', 'participants');

/** The latest thread with that base subject that `correspondent` took part in, and that ended within a time. */
export const findThreadBySubject = async (
  db: Db,
  mailboxId: MailboxId,
  baseSubject: string,
  correspondent: Address,
  { since, until }: { since: Millis; until: Millis },
): Promise<ThreadId | null> => {
  const alike = { mailboxId, baseSubject, lastMessageAt: within(since, until + 1) };
  const latest = { order: { lastMessageAt: 'desc' }, limit: MAX_SAME_SUBJECT, as: ofSubject } as const;
  const isOf = (participant: string) => addressIn(participant) === correspondent;
  const found = await listRows(db, threads, alike, latest);
  return found.find(({ participants }) => participants.some(isOf))?.id ?? null;
};

/** Deletes messages; their threads have the rest, and go where none is left. */
export const deleteFromThreads = async (tx: Tx, deleted: readonly StoredMessage[]): Promise<void> => {
  for (const message of deleted) await deleteMessage(tx, message);
  for (const id of new Set(deleted.map(({ threadId }) => threadId))) await recountThread(tx, id);
};
