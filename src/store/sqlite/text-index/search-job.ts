/** The job of a search thread, and how it reads a hit. */

import type { Millis } from '../../../kernel/clock.ts';
import type { SearchPage, SearchPart, SearchTerm } from '../../search/full-text-search.ts';
import { HIT_ROWS, SCORED_CHARS } from '../../search/hit-rows.ts';
import { readBody, type StoredBody, storedBody } from '../../search/packed-text.ts';
import type { ScoredText } from '../../search/score.ts';

/** A page of a search without words: its rank is the time. */
export interface FilterJob {
  readonly kind: 'filter';
  /** Of search/find-filtered.ts; two more parameters are a time and the most rows. */
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** `below` is a time. */
  readonly part: SearchPart;
  readonly limit: number;
  readonly timeMs: Millis;
}

/** A page of a search for words. */
export interface WordsJob {
  readonly kind: 'words';
  /** The expression for the index (fts5-expression.ts). */
  readonly match: string;
  /** The mailboxes' rows `seq`, `createdAt` and `fits` of a window, newest first; two more parameters are its bounds. */
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly all: SearchTerm[][];
  readonly none: SearchTerm[];
  readonly part: SearchPart;
  /** How many of the best are returned. */
  readonly limit: number;
  /** The search for matches ends after it, with what is found by then. */
  readonly timeMs: Millis;
}

/** One page of a search, as a thread runs it. */
export type SearchJob = FilterJob | WordsJob;

/** What a thread found. */
export interface FoundPage extends SearchPage {
  readonly isIndexDamaged: boolean;
  /** Set where another process, say, wrote texts that the indexer was not notified of. */
  readonly isIndexBehind: boolean;
}

export type TextRow = Omit<ScoredText, 'body'> & StoredBody;

/** One hit by its seq. */
export const hitQuery = `${HIT_ROWS} where m.seq = ?`;

/** A message's text by its seq. */
export const textQuery = `
  select t.subject, t.sender, t.recipients, t.attachments, ${storedBody(SCORED_CHARS)}
  from message_texts t left join messages m on m.seq = t.seq left join raw_messages r on r.id = m.raw_id
  where t.seq = ?`;

export const textFrom = (row: TextRow): ScoredText => ({ ...row, body: readBody(row).slice(0, SCORED_CHARS) });
