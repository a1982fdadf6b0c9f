/**
 * Reads threads of mailboxes by their marks. No index has the marks, so the most recent threads are read in small
 * steps.
 */

import { setImmediate } from 'node:timers/promises';
import type { Millis } from '../../../kernel/clock.ts';
import type { MailboxId } from '../../../kernel/ids.ts';
import { cursorAfter, type Page, type TimeAndId } from '../../../kernel/page.ts';
import { listMarkedThreads, type MarkedThread } from '../../../store/mail/threads.ts';
import type { Db } from '../../../store/store.ts';
import { byLastMessage } from '../../threads/view.ts';

type After = TimeAndId<'thread'> | null;
type IsWanted = (thread: MarkedThread) => boolean;

/** Threads of one statement, which takes about a millisecond, and of one request. */
const STEP = 250;
const MOST_LOOKED_AT = 10_000;

/** @returns at most `limit` rows, and the last thread read, where more may follow */
const lookThrough = async (
  db: Db,
  mailboxId: MailboxId,
  isWanted: IsWanted,
  { after: begin, limit, most }: { after: After; limit: number; most: number },
): Promise<{ rows: MarkedThread[]; end: MarkedThread | null }> => {
  const rows: MarkedThread[] = [];
  let after = begin;
  let last: MarkedThread | undefined;
  for (let size = limit, looked = 0; looked < most; looked += size, size = STEP) {
    const step = await listMarkedThreads(db, mailboxId, after, size);
    // Lets the event loop serve others between two statements.
    await setImmediate();
    for (const thread of step) {
      if (!isWanted(thread)) continue;
      rows.push(thread);
      if (rows.length === limit) return { rows, end: thread };
    }
    last = step.at(-1);
    if (!last || step.length < size) return { rows, end: null };
    after = { at: last.lastMessageAt, id: last.id };
  }
  return { rows, end: last ?? null };
};

const latestFirst = (one: MarkedThread, other: MarkedThread): number =>
  other.lastMessageAt - one.lastMessageAt || (one.id < other.id ? 1 : -1);

interface Wanted {
  limit: number;
  cursor?: string | undefined;
}

/** A mailbox, and the latest time at which one of its threads that are asked for may have ended; infinite: not known. */
interface ReadMailbox {
  mailboxId: MailboxId;
  latestAt: Millis;
}

/**
 * Threads of all these mailboxes, the latest first.
 * @param listMailboxes for threads up to a time: the latest used first, so that a full page reads no others
 * @returns a page; a short one where {@link MOST_LOOKED_AT} threads had no more matches, with a cursor that continues
 */
export const readThreads = async <M extends ReadMailbox>(
  db: Db,
  listMailboxes: (upTo?: Millis) => Promise<readonly M[]>,
  isWanted: IsWanted,
  { limit, cursor }: Wanted,
): Promise<Page<MarkedThread & { mailbox: M }>> => {
  const after: After = cursor === undefined ? null : byLastMessage.read(cursor);
  const mailboxes = await listMailboxes(after?.at);
  const most = Math.ceil(MOST_LOOKED_AT / mailboxes.length);
  let found: (MarkedThread & { mailbox: M })[] = [];
  const ends: MarkedThread[] = [];
  for (const mailbox of mailboxes) {
    const beyond = found[limit];
    if (beyond && beyond.lastMessageAt > mailbox.latestAt) break;
    const { rows, end } = await lookThrough(db, mailbox.mailboxId, isWanted, { after, limit: limit + 1, most });
    const more = rows.map((thread) => ({ ...thread, mailbox }));
    found = [...found, ...more].toSorted(latestFirst).slice(0, limit + 1);
    if (end) ends.push(end);
  }
  // Threads older than the latest of the ends may be incomplete.
  const [bound] = ends.toSorted(latestFirst);
  const sure = found.filter((row) => !bound || latestFirst(row, bound) <= 0 || row.id === bound.id);
  const rows = sure.slice(0, limit);
  const last = sure.length > limit ? rows.at(-1) : bound;
  return { rows, next_cursor: last ? cursorAfter(byLastMessage, last) : null };
};
