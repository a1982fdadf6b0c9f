/** The messages of one thread. */

import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { ThreadId } from '../../kernel/ids.ts';
import type { Db } from '../store.ts';
import { toBlob } from '../values.ts';
import { messageFromRow, type StoredAuthentication, type StoredMessage } from './messages.ts';

/**
 * The latest so many, newest first.
 * @param before only messages older than this; null: all
 */
export const listThreadMessages = async (
  db: Db,
  threadId: ThreadId,
  before: Millis | null,
  limit: number,
): Promise<StoredMessage[]> => {
  let query = db
    .selectFrom('messages')
    .selectAll()
    .where('thread_id', '=', toBlob(threadId))
    .orderBy('created_at', 'desc')
    .limit(limit);
  if (before !== null) query = query.where('created_at', '<', before);
  return (await query.execute()).map(messageFromRow);
};

/** Messages of a thread that are looked through for their authors. */
const AUTHORS_AMONG = 1_000;

/** Who wrote into the thread, as far as a passing check stands for it. */
export const listAlignedAuthors = async (db: Db, threadId: ThreadId): Promise<Address[]> => {
  const rows = await db
    .selectFrom('messages')
    .select(['from_address', 'authentication', 'spam_verdict'])
    .where('thread_id', '=', toBlob(threadId))
    .where('direction', '=', 'in')
    .orderBy('created_at', 'desc')
    .limit(AUTHORS_AMONG)
    .execute();
  const isAligned = (authentication: string | null): boolean => {
    if (authentication === null) return false;
    const { aligned, dmarc } = JSON.parse(authentication) as StoredAuthentication;
    return aligned ?? dmarc === 'pass';
  };
  return rows
    .filter(({ authentication, spam_verdict }) => isAligned(authentication) && spam_verdict !== 'FAIL')
    .map(({ from_address }) => from_address as Address);
};

/** Whether a doubtful message came into the thread since the mailbox last sent one there. */
export const hasDoubtSinceLastSent = async (db: Db, threadId: ThreadId): Promise<boolean> => {
  const id = toBlob(threadId);
  const doubtful = await db
    .selectFrom('messages')
    .select('created_at')
    .where('thread_id', '=', id)
    // A literal: SQLite takes the partial index only where the query's text implies its condition.
    .where((eb) => eb('doubtful', '=', eb.lit(1)))
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!doubtful) return false;
  const sent = await db
    .selectFrom('messages')
    .select('created_at')
    .where('thread_id', '=', id)
    .where('created_at', '>', doubtful.created_at)
    .where('direction', '=', 'out')
    .limit(1)
    .executeTakeFirst();
  return !sent;
};

/** When the oldest of the last `count` replies sent in a thread went, if all of them went since `since`; else null. */
export const oldestOfRecentReplies = async (
  db: Db,
  threadId: ThreadId,
  since: Millis,
  count: number,
): Promise<Millis | null> => {
  const row = await db
    .selectFrom('messages')
    .select('created_at')
    .where('thread_id', '=', toBlob(threadId))
    .where('created_at', '>', since)
    .where('direction', '=', 'out')
    .orderBy('created_at', 'desc')
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  return row?.created_at ?? null;
};
