/** Full-text search over one mailbox, ranked by BM25. */

import { type SqlBool, sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId, MessageId, ThreadId } from '../../kernel/ids.ts';
import type { Db } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';
import { mailboxToken } from './full-text.ts';

/** One wanted or unwanted thing said with words. `column` null: any of them. */
export interface SearchTerm {
  column: 'subject' | 'sender' | 'recipients' | null;
  /** A word or the words of a phrase. */
  text: string;
  prefix: boolean;
}

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

/** Where the page before ended: the hit's rank and its row. */
export interface SearchPosition {
  rank: number;
  seq: number;
}

export interface SearchHit extends SearchPosition {
  id: MessageId;
  threadId: ThreadId;
  direction: 'in' | 'out';
  fromName: string | null;
  fromAddress: string;
  toList: string;
  subject: string;
  snippet: string;
  /** The words that were indexed, as far as they are needed to show a passage; empty for a search without words. */
  body: string;
  createdAt: Millis;
}

/** A match in the subject says more than one in the body. In the index's order: mailbox, subject, sender, recipients, attachments, body. */
const WEIGHTS = sql.raw('0.0, 5.0, 3.0, 2.0, 3.0, 1.0');
/** Of each hit's words, so many characters come along: what is looked through for the passage to show. */
const BODY_CHARS = 100_000;

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

interface Row {
  seq: number;
  id: Uint8Array;
  thread_id: Uint8Array;
  direction: 'in' | 'out';
  from_name: string | null;
  from_address: string;
  to_list: string;
  subject: string;
  snippet: string;
  body?: string;
  created_at: number;
  rank: number;
}

const COLUMNS = sql.raw(
  'm.seq, m.id, m.thread_id, m.direction, m.from_name, m.from_address, m.to_list, m.subject, m.snippet, m.created_at',
);

const byWords = (mailboxId: MailboxId, query: SearchQuery, after: SearchPosition | null, limit: number) => {
  const match = matchExpression(mailboxId, query);
  const where = conditions(query);
  if (after) where.push(sql<SqlBool>`(f.rank > ${after.rank} or (f.rank = ${after.rank} and m.seq < ${after.seq}))`);
  const filter = where.length > 0 ? sql`where ${sql.join(where, sql` and `)}` : sql``;
  return sql<Row>`
    with f as materialized (
      select rowid as seq, bm25(message_index, ${WEIGHTS}) as rank from message_index where message_index match ${match}
    )
    , page as (
      select ${COLUMNS}, f.rank from f join messages m on m.seq = f.seq ${filter}
      order by f.rank, m.seq desc limit ${limit}
    )
    select page.*, substr(t.body, 1, ${BODY_CHARS}) as body from page join message_texts t on t.seq = page.seq
    order by page.rank, page.seq desc`;
};

/** Without words the newest come first; their rank is 0. */
const byFilter = (mailboxId: MailboxId, query: SearchQuery, after: SearchPosition | null, limit: number) => {
  const where = [sql<SqlBool>`m.mailbox_id = ${toBlob(mailboxId)}`, ...conditions(query)];
  if (after) where.push(sql<SqlBool>`m.created_at < (select created_at from messages where seq = ${after.seq})`);
  return sql<Row>`
    select ${COLUMNS}, 0 as rank from messages m where ${sql.join(where, sql` and `)}
    order by m.created_at desc limit ${limit}`;
};

/** Best first. */
export const searchMessages = async (
  db: Db,
  mailboxId: MailboxId,
  query: SearchQuery,
  after: SearchPosition | null,
  limit: number,
): Promise<SearchHit[]> => {
  const hasWords = query.all.length > 0 || query.none.length > 0;
  const { rows } = await (hasWords ? byWords : byFilter)(mailboxId, query, after, limit).execute(db);
  return rows.map((row) => ({
    seq: row.seq,
    rank: row.rank,
    id: fromBlob(row.id),
    threadId: fromBlob(row.thread_id),
    direction: row.direction,
    fromName: row.from_name,
    fromAddress: row.from_address,
    toList: row.to_list,
    subject: row.subject,
    snippet: row.snippet,
    body: row.body ?? '',
    createdAt: row.created_at,
  }));
};
