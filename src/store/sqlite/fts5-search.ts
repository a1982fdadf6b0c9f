/** Full-text search by FTS5, ranked by its BM25. */

import { type SqlBool, sql } from 'kysely';
import type { MailboxId } from '../../kernel/ids.ts';
import type { Search, SearchPart, SearchQuery, SearchTerm } from '../search/full-text-search.ts';
import { mailboxToken } from '../search/mailbox-token.ts';
import type { Db } from '../store.ts';
import { toBlob } from '../values.ts';
import type { SearchThreads } from './search-threads.ts';

/** A match in the subject weighs more than one in the body. In the index's order: mailbox, subject, sender, recipients, attachments, body. */
const WEIGHTS = sql.raw('0.0, 5.0, 3.0, 2.0, 3.0, 1.0');
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const termExpression = ({ column, text, prefix }: SearchTerm): string =>
  `${column ?? '{subject sender recipients attachments body}'} : ${quoted(text)}${prefix ? ' *' : ''}`;

const anyOf = (terms: SearchTerm[]): string => `(${terms.map(termExpression).join(' OR ')})`;

const matchExpression = (mailboxId: MailboxId, { all, none }: SearchQuery): string => {
  const wanted = [`mailbox : ${mailboxToken(mailboxId)}`, ...all.map(anyOf)].join(' AND ');
  return none.length > 0 ? `(${wanted}) NOT ${anyOf(none)}` : wanted;
};

const conditions = (query: SearchQuery) => [
  ...(query.hasAttachment ? [sql<SqlBool>`m.attachments <> '[]'`] : []),
  ...(query.unread === null ? [] : [sql<SqlBool>`m.unread = ${query.unread ? 1 : 0}`]),
  ...(query.direction === null ? [] : [sql<SqlBool>`m.direction = ${query.direction}`]),
  ...(query.after === null ? [] : [sql<SqlBool>`m.created_at >= ${query.after}`]),
  ...(query.before === null ? [] : [sql<SqlBool>`m.created_at < ${query.before}`]),
];

/** Newest first, so that the end of the time cuts off the oldest. The index yields rows in that order. */
const byWords = (mailboxId: MailboxId, query: SearchQuery, { below, downTo }: SearchPart) => {
  const filters = conditions(query);
  const where = [
    sql<SqlBool>`message_index match ${matchExpression(mailboxId, query)}`,
    ...(below === null ? [] : [sql<SqlBool>`f.rowid < ${below}`]),
    ...(downTo === null ? [] : [sql<SqlBool>`f.rowid >= ${downTo}`]),
    ...filters,
  ];
  // `cross join` keeps the index in front: its rows come in order, and one is looked up in messages for each.
  const join = filters.length > 0 ? sql`cross join messages m on m.seq = f.rowid` : sql``;
  return sql`
    select f.rowid as seq, bm25(message_index, ${WEIGHTS}) as rank from message_index f ${join}
    where ${sql.join(where, sql` and `)} order by f.rowid desc`;
};

/** Without terms the newest come first; their rank is 0. */
const byFilter = (mailboxId: MailboxId, query: SearchQuery, { after }: SearchPart, limit: number) => {
  const where = [sql<SqlBool>`m.mailbox_id = ${toBlob(mailboxId)}`, ...conditions(query)];
  if (after) where.push(sql<SqlBool>`m.created_at < (select created_at from messages where seq = ${after.seq})`);
  return sql`
    select m.seq, 0 as rank from messages m where ${sql.join(where, sql` and `)}
    order by m.created_at desc limit ${limit}`;
};

/** Builds the SQL here and runs it in a search thread. */
export const createSearch =
  (db: Db, threads: Pick<SearchThreads, 'run'>): Search =>
  (mailboxId, query, part, { limit, timeMs }) => {
    const isRanked = query.all.length === 0 && query.none.length === 0;
    const chosen = isRanked ? byFilter(mailboxId, query, part, limit) : byWords(mailboxId, query, part);
    const { sql: text, parameters } = chosen.compile(db);
    const { after } = part;
    return threads.run({ sql: text, parameters, isRanked, after, limit, timeMs, terms: query.all.flat() });
  };
