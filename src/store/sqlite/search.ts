/** Full-text search over one mailbox, ranked by BM25. */

import { type SqlBool, sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId } from '../../kernel/ids.ts';
import type { Store } from '../store.ts';
import { toBlob } from '../values.ts';
import { mailboxToken } from './full-text.ts';
import type { SearchPage, SearchPosition, SearchTerm } from './search-job.ts';

export interface SearchQuery {
  /** All of these groups, and of each group any term. */
  all: SearchTerm[][];
  none: SearchTerm[];
  hasAttachment: boolean;
  unread: boolean | null;
  direction: 'in' | 'out' | null;
  /** Includes. */
  after: Millis | null;
  /** Excludes. */
  before: Millis | null;
}

/** Which rows are ranked, and where in their order the page begins. */
export interface SearchPart {
  /** Only older rows than this; null: from the newest. */
  below: number | null;
  /** No older rows than this; null: to the oldest. */
  downTo: number | null;
  after: SearchPosition | null;
}

/** A match in the subject says more than one in the body. In the index's order: mailbox, subject, sender, recipients, attachments, body. */
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

/** Newest first, so that what time cuts off is the oldest. The index yields rows in that order as it finds them. */
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

/** Without words the newest come first; their rank is 0. */
const byFilter = (mailboxId: MailboxId, query: SearchQuery, { after }: SearchPart, limit: number) => {
  const where = [sql<SqlBool>`m.mailbox_id = ${toBlob(mailboxId)}`, ...conditions(query)];
  if (after) where.push(sql<SqlBool>`m.created_at < (select created_at from messages where seq = ${after.seq})`);
  return sql`
    select m.seq, 0 as rank from messages m where ${sql.join(where, sql` and `)}
    order by m.created_at desc limit ${limit}`;
};

/** One page, best first. */
export const searchMessages = (
  { read, searchThreads }: Pick<Store, 'read' | 'searchThreads'>,
  mailboxId: MailboxId,
  query: SearchQuery,
  part: SearchPart,
  { limit, timeMs }: { limit: number; timeMs: Millis },
): Promise<SearchPage> => {
  const isRanked = query.all.length === 0 && query.none.length === 0;
  const chosen = isRanked ? byFilter(mailboxId, query, part, limit) : byWords(mailboxId, query, part);
  const { sql: text, parameters } = chosen.compile(read);
  const { after } = part;
  return searchThreads.run({ sql: text, parameters, isRanked, after, limit, timeMs, terms: query.all.flat() });
};
