/** Full-text search over one mailbox: what is asked, what is answered, and the index that an engine keeps for it. */

import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId, MessageId, ThreadId } from '../../kernel/ids.ts';

/** One required or excluded term. `column` null: any of them. */
export interface SearchTerm {
  column: 'subject' | 'sender' | 'recipients' | null;
  /** A word or the words of a phrase. */
  text: string;
  prefix: boolean;
  /** Of a single word in a subject or anywhere: whether any word of the same stem is as good. */
  stems?: boolean;
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

/** A hit's position in the order: lower ranks first, and of one rank the newest. */
export interface SearchPosition {
  rank: number;
  seq: number;
}

/** Which rows are ranked, and where in their order the page begins. */
export interface SearchPart {
  /** Only older rows than this, by seq, or by time where the query has no terms; null: from the newest. */
  below: number | null;
  /** No older rows than this; null: to the oldest. */
  downTo: number | null;
  after: SearchPosition | null;
}

/** Hits of a page, and the time after which the search ends with what it has. */
export interface SearchBounds {
  limit: number;
  timeMs: Millis;
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

export interface SearchPage {
  readonly hits: SearchHit[];
  /**
   * The last row that was looked at, as {@link SearchPart.below} names it, where the search ended with the newest matches;
   * null: no row is left below it.
   */
  readonly rankedDownTo: number | null;
}

/** One page, best first (score.ts). Long searches hold up no other query. */
export type Search = (
  mailboxId: MailboxId,
  query: SearchQuery,
  part: SearchPart,
  bounds: SearchBounds,
) => Promise<SearchPage>;

/** A message's text by column, as it is indexed. */
export interface IndexedText {
  /** The one token that stands for a mailbox. */
  mailbox: string;
  subject: string;
  sender: string;
  recipients: string;
  /** The names of its attachments, one a line. */
  attachments: string;
  body: string;
}

/** The engine's full-text index: told in the transaction that changes a text, and brought up after its commit. */
export interface TextIndex {
  add(): void;
  remove(seq: number): Promise<void>;
}
