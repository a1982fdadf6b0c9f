/** The messages of one thread. */

import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { idFromBytes, idToBytes, type MessageId, type ThreadId } from '../../kernel/ids.ts';
import { above, below, findValue, listRows, listValues, literal } from '../rows.ts';
import type { Db } from '../store.ts';
import { isAligned, messages } from './mail-mappings.ts';
import { readMessages, type StoredMessage } from './messages.ts';

const author = messages.pick('fromAddress', 'authentication', 'spamVerdict');

/**
 * The latest so many, newest first.
 * @param before only messages older than this; null: all
 */
export const listThreadMessages = (
  db: Db,
  threadId: ThreadId,
  before: Millis | null,
  limit: number,
): Promise<StoredMessage[]> => {
  const older = { threadId, ...(before !== null && { createdAt: below(before) }) };
  return readMessages(db, older, { order: { createdAt: 'desc' }, limit });
};

/** Messages of a thread that are read for their authors. */
const AUTHORS_AMONG = 1_000;

/** The authors of a thread's messages with an aligned check. */
export const listAlignedAuthors = async (db: Db, threadId: ThreadId): Promise<Address[]> => {
  const latest = { order: { createdAt: 'desc' }, limit: AUTHORS_AMONG, as: author } as const;
  const received = await listRows(db, messages, { threadId, direction: 'in' }, latest);
  return received.filter(isAligned).map(({ fromAddress }) => fromAddress as Address);
};

export const hasUnauthenticatedSinceLastSent = async (db: Db, threadId: ThreadId): Promise<boolean> => {
  const doubtful = { threadId, doubtful: literal(true) };
  const at = await findValue(db, messages, 'createdAt', doubtful, { createdAt: 'desc' });
  if (at === null) return false;
  return (await findValue(db, messages, 'seq', { threadId, createdAt: above(at), direction: 'out' })) === null;
};

/** When the oldest of the last `count` replies sent in a thread went, if all of them went since `since`; else null. */
export const oldestOfRecentReplies = async (
  db: Db,
  threadId: ThreadId,
  since: Millis,
  count: number,
): Promise<Millis | null> => {
  const sent = { threadId, createdAt: above(since), direction: 'out' } as const;
  const latest = { order: { createdAt: 'desc' }, limit: count } as const;
  return (await listValues(db, messages, 'createdAt', sent, latest))[count - 1] ?? null;
};

/** Finds those of the messages that an owner sent in the agent's name, with the owner's address. */
export const listSentBy = async (db: Db, ids: readonly MessageId[]): Promise<Map<MessageId, Address>> => {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('messages')
    .select(['id', 'sent_by'])
    .where('id', 'in', ids.map(idToBytes))
    .where('sent_by', 'is not', null)
    .execute();
  return new Map(
    rows.flatMap(({ id, sent_by: by }) => (by === null ? [] : [[idFromBytes<'message'>(id), by] as const])),
  );
};
