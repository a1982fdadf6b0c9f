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

/** The thread's latest message that came in; null where none did. */
export const findLastInbound = async (db: Db, threadId: ThreadId): Promise<StoredMessage | null> => {
  const row = await db
    .selectFrom('messages')
    .selectAll()
    .where('thread_id', '=', toBlob(threadId))
    .where('direction', '=', 'in')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? messageFromRow(row) : null;
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
