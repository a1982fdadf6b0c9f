/** The messages of one thread. */

import type { Millis } from '../kernel/clock.ts';
import type { ThreadId } from '../kernel/ids.ts';
import { messageFromRow, type StoredMessage } from './messages.ts';
import type { Db } from './store.ts';
import { toBlob } from './values.ts';

/** The latest so many, oldest first. */
export const listThreadMessages = async (db: Db, threadId: ThreadId, limit: number): Promise<StoredMessage[]> => {
  const rows = await db
    .selectFrom('messages')
    .selectAll()
    .where('thread_id', '=', toBlob(threadId))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
  return rows.reverse().map(messageFromRow);
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
