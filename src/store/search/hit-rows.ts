/** How a search reads its hits and orders them, the same in each engine. */

import { idFromBytes } from '../../kernel/ids.ts';
import { toExcerpt } from './excerpt.ts';
import type { SearchHit, SearchPosition, SearchTerm } from './full-text-search.ts';
import { readBody, type StoredBody, storedBody } from './packed-text.ts';

/** Characters of each hit's text that are searched for the excerpt. */
export const BODY_CHARS = 100_000;
/** Characters of a mail's text that are scored. */
export const SCORED_CHARS = 20_000;
/** Bodies are read for the matches with the best other fields only. */
export const MOST_BODIES = 100;

export interface HitRow extends StoredBody {
  seq: number;
  id: Uint8Array;
  mailbox_id: Uint8Array;
  thread_id: Uint8Array;
  direction: 'in' | 'out';
  from_name: string | null;
  from_address: string;
  to_list: string;
  subject: string;
  snippet: string;
  created_at: number;
}

/** Rows {@link HitRow}; a condition on `m.seq` follows. */
export const HIT_ROWS = `
  select m.seq, m.id, m.mailbox_id, m.thread_id, m.direction, m.from_name, m.from_address, m.to_list, m.subject, m.snippet,
    m.created_at, ${storedBody(BODY_CHARS)}
  from messages m left join message_texts t on t.seq = m.seq left join raw_messages r on r.id = m.raw_id`;

export const toHit = (row: HitRow, { rank }: SearchPosition, terms: readonly SearchTerm[]): SearchHit => ({
  seq: row.seq,
  rank,
  id: idFromBytes(row.id),
  mailboxId: idFromBytes(row.mailbox_id),
  threadId: idFromBytes(row.thread_id),
  direction: row.direction,
  fromName: row.from_name,
  fromAddress: row.from_address,
  toList: row.to_list,
  subject: row.subject,
  createdAt: row.created_at,
  excerpt: toExcerpt({ subject: row.subject, body: readBody(row).slice(0, BODY_CHARS), snippet: row.snippet }, terms),
});

export const isBehind = (one: SearchPosition, other: SearchPosition): boolean =>
  one.rank > other.rank || (one.rank === other.rank && one.seq < other.seq);
export const byRank = (one: SearchPosition, other: SearchPosition): number =>
  one.rank - other.rank || other.seq - one.seq;
