/** The engine's full-text index of passages, and the search over it. */

import type { PageId, SourceId, WorkspaceId } from '../../../kernel/ids.ts';
import { termsOf } from '../../../kernel/text/terms.ts';

/** The terms of a passage by column, parted by blanks, each with the number of its book (kernel/text/terms.ts). */
export interface PassageTerms {
  title: string;
  heading: string;
  /** Terms of a passage that begins its document; else ''. */
  lead: string;
  /** Terms of any other passage; else ''. */
  body: string;
}

/** Changed in the transaction that changes the passages. */
export interface PassageIndex {
  add(seq: number, terms: PassageTerms): Promise<void>;
  remove(seq: number): Promise<void>;
}

/** In front of the terms of a book. */
export const toTermPrefix = (book: number): string => `${book}_`;

const toTerms = (text: string, prefix: string): string =>
  termsOf(text)
    .map((term) => prefix + term)
    .join(' ');

/** @param title of the page */
export const toPassageTerms = (
  { heading, text, isLead }: { heading: string; text: string; isLead: boolean },
  title: string | null,
  prefix: string,
): PassageTerms => {
  const body = toTerms(text, prefix);
  return {
    title: toTerms(title ?? '', prefix),
    heading: toTerms(heading, prefix),
    lead: isLead ? body : '',
    body: isLead ? '' : body,
  };
};

export interface PassageQuery {
  workspaceId: WorkspaceId;
  book: number;
  /** As it was asked. */
  text: string;
  limit: number;
  /** Ranks by meaning as well; null: by words alone. */
  nearest: QueryVector | null;
}

/** As a thread runs it. */
export interface PassageJob extends PassageQuery {
  readonly kind: 'passages';
}

/** A query as a vector of the embedding model. */
export interface QueryVector {
  /** The number of the embedding model. */
  model: number;
  /** A vector of length 1, each number as an octet: -127 to 127 stand for -1 to 1. */
  vector: Uint8Array;
}

export interface PassageHit {
  pageId: PageId;
  sourceId: SourceId;
  title: string | null;
  url: string | null;
  heading: string;
  text: string;
  /** Higher is better. */
  score: number;
}

/** The best passages, best first. Long searches hold up no other query. */
export type PassageSearch = (query: PassageQuery) => Promise<PassageHit[]>;
