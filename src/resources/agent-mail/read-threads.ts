/** Threads of a mailbox, open or archived. Nothing indexes which: the most recent ones are looked through, in small steps. */

import { setImmediate } from 'node:timers/promises';
import type { MailboxId } from '../../kernel/ids.ts';
import { cursorAfter, type Page, type TimeAndId } from '../../kernel/page.ts';
import { listMarkedThreads, type MarkedThread } from '../../store/mail/threads.ts';
import type { Db } from '../../store/store.ts';
import { byLastMessage } from '../threads/view.ts';

interface Wanted {
  show: 'open' | 'archived' | 'all';
  limit: number;
  cursor?: string | undefined;
}

/** Threads of one statement, about a millisecond, and of one request. */
const STEP = 250;
const MOST_LOOKED_AT = 10_000;

/** @returns a page, which is short where {@link MOST_LOOKED_AT} threads had no more of them; its cursor goes on from there */
export const readThreads = async (
  db: Db,
  mailboxId: MailboxId,
  { show, limit, cursor }: Wanted,
): Promise<Page<MarkedThread>> => {
  const isWanted = ({ archived }: MarkedThread): boolean => show === 'all' || archived === (show === 'archived');
  const rows: MarkedThread[] = [];
  let after: TimeAndId<'thread'> | null = cursor === undefined ? null : byLastMessage.read(cursor);
  let last: MarkedThread | undefined;
  for (let size = limit + 1, looked = 0; looked < MOST_LOOKED_AT; looked += size, size = STEP) {
    const step = await listMarkedThreads(db, mailboxId, after, size);
    for (const thread of step) {
      if (!isWanted(thread)) continue;
      const end = rows.at(-1);
      if (rows.length === limit && end) return { rows, next_cursor: cursorAfter(byLastMessage, end) };
      rows.push(thread);
    }
    last = step.at(-1);
    if (!last || step.length < size) return { rows, next_cursor: null };
    after = { at: last.lastMessageAt, id: last.id };
    // Between two statements the loop serves others.
    await setImmediate();
  }
  return { rows, next_cursor: last ? cursorAfter(byLastMessage, last) : null };
};
