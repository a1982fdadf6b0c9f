/** Full-text search over mailboxes: the query, the result, and the engine's index. */

import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId, MessageId, ThreadId } from '../../kernel/ids.ts';

/** One required or excluded term. `column` null: any of them. */
export interface SearchTerm {
  column: 'subject' | 'sender' | 'recipients' | null;
  /** A word or the words of a phrase. */
  text: string;
  prefix: boolean;
  /** Set for a single word in a subject or anywhere: whether other words of its stem match too. */
  stems?: boolean;
}

export interface SearchQuery {
  /** Every group must match; a group matches by any of its terms. */
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

/** A hit's position in the order: by ascending rank; within a rank, the newest first. */
export interface SearchPosition {
  rank: number;
  seq: number;
}

/** The rows to rank, and where in their order the page begins. */
export interface SearchPart {
  /** Only older rows than this, by seq, or by time where the query has no terms; null: from the newest. */
  below: number | null;
  /** No older rows than this; null: to the oldest. */
  downTo: number | null;
  after: SearchPosition | null;
}

/** Hits of a page, and the time after which the search returns what it has. */
export interface SearchBounds {
  limit: number;
  timeMs: Millis;
}

export interface SearchHit extends SearchPosition {
  id: MessageId;
  mailboxId: MailboxId;
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
   * The last row searched, in the form of {@link SearchPart.below}, where the search ended early; null: no row is left
   * below it.
   */
  readonly rankedDownTo: number | null;
}

/** One page of the mailboxes together, best first (score.ts). Long searches hold up no other query. */
export type Search = (
  mailboxIds: readonly MailboxId[],
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

/** The engine's full-text index. It has a text soon after the commit; until then a search reads the text itself. */
export interface TextIndex {
  added(): void;
  remove(seq: number): Promise<void>;
}
