/**
 * A search's filters as SQL, and the newest messages of a search by filters alone: in windows over the mailboxes' rows, so
 * that the walk can stop by time.
 */

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import { idToBytes, type MailboxId } from '../../kernel/ids.ts';
import type { SearchBounds, SearchPart, SearchPosition, SearchQuery } from './full-text-search.ts';
import { byRank, isBehind } from './hit-rows.ts';

/** Rows of a window; one takes a few milliseconds. */
const WIDTH = 2_000;
/** The walk ends after this time with a cursor: a filter with few matches would read a whole mailbox. */
const ENOUGH_MS: Millis = 30;

/** A row of a mailbox. */
export interface FilterRow {
  seq: number;
  createdAt: Millis;
  /** Whether the query's filters take it. */
  fits: 0 | 1;
}

/** Conditions on rows `m` of messages. */
export const filtersOf = (query: SearchQuery): RawBuilder<SqlBool>[] => [
  ...(query.hasAttachment ? [sql<SqlBool>`m.attachments <> '[]'`] : []),
  ...(query.unread === null ? [] : [sql<SqlBool>`m.unread = ${query.unread ? 1 : 0}`]),
  ...(query.direction === null ? [] : [sql<SqlBool>`m.direction = ${query.direction}`]),
  ...(query.after === null ? [] : [sql<SqlBool>`m.created_at >= ${query.after}`]),
  ...(query.before === null ? [] : [sql<SqlBool>`m.created_at < ${query.before}`]),
];

export const fitting = (query: SearchQuery): RawBuilder<unknown> => {
  const filters = filtersOf(query);
  return filters.length > 0 ? sql.join(filters, sql` and `) : sql`1`;
};

/**
 * Rows {@link FilterRow} of mailboxes in the order of their time, newest first. Without terms a message's time is its rank. The
 * engine merges the mailboxes, each in the order of its index.
 * @param below a time; the last parameter but one
 * @param width the last parameter
 */
export const byFilter = (
  mailboxIds: readonly MailboxId[],
  query: SearchQuery,
  below: Millis,
  width: number,
): RawBuilder<FilterRow> => {
  const ofTime = filtersOf({ ...query, hasAttachment: false, unread: null, direction: null });
  const each = mailboxIds.map((mailboxId) => {
    const where = [sql<SqlBool>`m.mailbox_id = ${idToBytes(mailboxId)}`, ...ofTime];
    return sql`
      select m.seq, m.created_at as "createdAt", ${fitting({ ...query, after: null, before: null })} as fits
      from messages m where ${sql.join(where, sql` and `)}`;
  });
  return sql`
    select * from (${sql.join(each, sql` union all `)}) as newest where "createdAt" < ${below}
    order by "createdAt" desc limit ${width}`;
};

export interface Filtered {
  readonly best: SearchPosition[];
  /** Time of the last row read, where the walk ended before the page was full; else null. */
  readonly rankedDownTo: Millis | null;
}

/** @param readWindow the next rows of {@link byFilter} */
export const findFiltered = async (
  readWindow: (below: Millis, width: number) => readonly FilterRow[] | Promise<readonly FilterRow[]>,
  part: SearchPart,
  { limit, timeMs }: SearchBounds,
): Promise<Filtered> => {
  const end = performance.now() + Math.min(timeMs, ENOUGH_MS);
  const { after } = part;
  const best: SearchPosition[] = [];
  let below = Math.min(part.below ?? Number.MAX_SAFE_INTEGER, after ? 1 - after.rank : Number.MAX_SAFE_INTEGER);
  for (;;) {
    const rows = await readWindow(below, WIDTH);
    const last = rows.length < WIDTH ? null : rows.at(-1);
    // Mailboxes may have mail of the same time: all of it is in one window.
    const whole = last ? rows.filter(({ createdAt }) => createdAt > last.createdAt) : rows;
    const positions = whole.filter(({ fits }) => fits === 1).map(({ seq, createdAt }) => ({ seq, rank: -createdAt }));
    for (const position of positions.sort(byRank)) {
      if (after === null || isBehind(position, after)) best.push(position);
      if (best.length >= limit) return { best, rankedDownTo: null };
    }
    if (!last) return { best, rankedDownTo: null };
    below = last.createdAt + 1;
    if (performance.now() > end) return { best, rankedDownTo: below };
  }
};
