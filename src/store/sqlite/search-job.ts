/** What a search thread is asked and what it answers. */

import type { Millis } from '../../kernel/clock.ts';
import type { MessageId, ThreadId } from '../../kernel/ids.ts';
import { fromBlob } from '../values.ts';

/** One wanted or unwanted thing said with words. `column` null: any of them. */
export interface SearchTerm {
  column: 'subject' | 'sender' | 'recipients' | null;
  /** A word or the words of a phrase. */
  text: string;
  prefix: boolean;
}

/** A hit's place in the order: lower ranks first, and of one rank the newest. */
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
  /** A passage around the match, matched words between `**`. */
  excerpt: string;
  createdAt: Millis;
}

/** One page of a search, as a thread is asked for it. */
export interface SearchJob {
  /** Rows `seq` and `rank`: in the order of the page, or newest first where they are still to be ranked. */
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly isRanked: boolean;
  /** The best come after this one. */
  readonly after: SearchPosition | null;
  /** How many of the best are wanted. */
  readonly limit: number;
  /** After so long what is ranked by then is answered. */
  readonly timeMs: Millis;
  /** What excerpts show. */
  readonly terms: readonly SearchTerm[];
}

export interface SearchPage {
  readonly hits: SearchHit[];
  /** The last row that was ranked, where time ended the ranking; rows below it were not looked at. */
  readonly rankedDownTo: number | null;
}

/** Of each hit's words, so many characters come along: what is looked through for the passage to show. */
const BODY_CHARS = 100_000;

export interface HitRow {
  seq: number;
  id: Uint8Array;
  thread_id: Uint8Array;
  direction: 'in' | 'out';
  from_name: string | null;
  from_address: string;
  to_list: string;
  subject: string;
  snippet: string;
  body: string | null;
  created_at: number;
}

/** What is shown of one hit, by its seq. */
export const hitQuery = `
  select m.seq, m.id, m.thread_id, m.direction, m.from_name, m.from_address, m.to_list, m.subject, m.snippet,
    m.created_at, substr(t.body, 1, ${BODY_CHARS}) as body
  from messages m left join message_texts t on t.seq = m.seq where m.seq = ?`;

export const hitFrom = (row: HitRow): Omit<SearchHit, 'rank' | 'excerpt'> => ({
  seq: row.seq,
  id: fromBlob(row.id),
  threadId: fromBlob(row.thread_id),
  direction: row.direction,
  fromName: row.from_name,
  fromAddress: row.from_address,
  toList: row.to_list,
  subject: row.subject,
  createdAt: row.created_at,
});
