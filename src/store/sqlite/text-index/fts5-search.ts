/** Full-text search by FTS5: finds the newest matches, which a search thread ranks. */

import { type SqlBool, sql } from 'kysely';
import type { MailboxId } from '../../../kernel/ids.ts';
import type { Search, SearchQuery } from '../../search/full-text-search.ts';
import type { Indexer } from '../../search/indexer.ts';
import type { Db } from '../../store.ts';
import { toBlob } from '../../values.ts';
import type { SearchThreads } from '../search-threads.ts';
import { toMatchExpression } from './fts5-expression.ts';

const conditions = (query: SearchQuery) => [
  ...(query.hasAttachment ? [sql<SqlBool>`m.attachments <> '[]'`] : []),
  ...(query.unread === null ? [] : [sql<SqlBool>`m.unread = ${query.unread ? 1 : 0}`]),
  ...(query.direction === null ? [] : [sql<SqlBool>`m.direction = ${query.direction}`]),
  ...(query.after === null ? [] : [sql<SqlBool>`m.created_at >= ${query.after}`]),
  ...(query.before === null ? [] : [sql<SqlBool>`m.created_at < ${query.before}`]),
];

const fitting = (query: SearchQuery) => {
  const wanted = conditions(query);
  return wanted.length > 0 ? sql.join(wanted, sql` and `) : sql`1`;
};

/** The mailboxes' rows of a window, newest first: its bounds are the last parameters. */
const byWords = (mailboxIds: readonly MailboxId[], query: SearchQuery) =>
  // `+` keeps the walk on the rows' numbers, which the index has as well.
  sql`
    select m.seq, m.created_at as createdAt, ${fitting(query)} as fits
    from messages m where +m.mailbox_id in (${sql.join(mailboxIds.map(toBlob))}) and m.seq < ${0} and m.seq >= ${0}
    order by m.seq desc`;

/**
 * Rows of mailboxes in the order of their time, newest first, with whether each fits: their bounds and the most rows are the
 * last parameters. Without terms a message's time is its rank. SQLite merges the mailboxes, each in the order of its index.
 */
const byFilter = (mailboxIds: readonly MailboxId[], query: SearchQuery) => {
  const ofTime = conditions({ ...query, hasAttachment: false, unread: null, direction: null });
  const each = mailboxIds.map((mailboxId) => {
    const where = [sql<SqlBool>`m.mailbox_id = ${toBlob(mailboxId)}`, ...ofTime];
    return sql`
      select m.seq, m.created_at as createdAt, ${fitting({ ...query, after: null, before: null })} as fits
      from messages m where ${sql.join(where, sql` and `)}`;
  });
  return sql`
    select * from (${sql.join(each, sql` union all `)}) where createdAt < ${0} order by createdAt desc limit ${0}`;
};

/** Builds the SQL here and runs it in a search thread, which reports the index's state to the indexer. */
export const createSearch =
  (db: Db, threads: Pick<SearchThreads, 'run'>, indexer: Pick<Indexer, 'foundDamaged' | 'catchUp'>): Search =>
  async (mailboxIds, query, part, { limit, timeMs }) => {
    const isFilter = query.all.length === 0 && query.none.length === 0;
    const chosen = isFilter ? byFilter(mailboxIds, query) : byWords(mailboxIds, query);
    const { sql: text, parameters } = chosen.compile(db);
    const { all, none } = query;
    if (isFilter) {
      return threads.run({ kind: 'filter', sql: text, parameters: parameters.slice(0, -2), part, limit, timeMs });
    }
    const page = await threads.run({
      kind: 'words',
      match: toMatchExpression(mailboxIds, query),
      sql: text,
      parameters: parameters.slice(0, -2),
      all,
      none,
      part,
      limit,
      timeMs,
    });
    if (page.isIndexDamaged) indexer.foundDamaged();
    else if (page.isIndexBehind) indexer.catchUp();
    return page;
  };
