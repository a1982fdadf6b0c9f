/** Pages of messages, bounded by their number and by their size: a mail may name a thousand recipients and files. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { Millis } from '../kernel/clock.ts';
import { byCreationTime, cutPage, type Page, readPage, withinSize } from '../kernel/page.ts';
import type { ListedMessage } from '../store/mail/messages.ts';

/** Rows of one query: the largest have 14 MB. The event loop runs between two queries. */
const BATCH = 20;
/** Characters of a page's recipients and files; a hundred usual messages have 30 000. */
const MOST_CHARS = 1_000_000;

type Row = Pick<ListedMessage, 'to' | 'cc' | 'replyTo' | 'attachments' | 'createdAt'>;

const countChars = ({ to, cc, replyTo, attachments }: Row): number => {
  let chars = 0;
  for (const list of [to, cc, replyTo])
    for (const { name, address } of list) chars += (name ?? '').length + address.length;
  for (const { filename, contentType } of attachments) chars += filename.length + contentType.length;
  return chars;
};

/** As `readPage`, newest first. A page may end before its limit, with a cursor that continues after it. */
export const readMessagePage = async <R extends Row>(
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  load: (before: Millis | null, limit: number) => Promise<readonly R[]>,
): Promise<Page<R>> => {
  const rows: R[] = [];
  for (let next = cursor; ; ) {
    const batch = { limit: Math.min(limit - rows.length, BATCH), cursor: next };
    const { rows: more, next_cursor } = await readPage<R, Millis>(batch, byCreationTime, load);
    rows.push(...more);
    const shown = withinSize(rows, countChars, MOST_CHARS);
    if (shown.length < rows.length || next_cursor === null || rows.length >= limit)
      return cutPage<R, Millis>({ rows, next_cursor }, byCreationTime, shown);
    next = next_cursor;
    await yieldToLoop();
  }
};
