/**
 * Finds the newest matches of a search, by windows over the rows: the time of a window is bounded by its width, whatever
 * matches, so that the clock is looked at between two.
 */

import type { Database } from 'better-sqlite3';
import type { Millis } from '../../kernel/clock.ts';
import type { ScoredText } from '../search/score.ts';
import { createVerifier } from '../search/verify.ts';
import { isExact } from './fts5-expression.ts';
import type { WordsJob } from './search-job.ts';

export interface Match {
  seq: number;
  createdAt: Millis;
}

export interface Matches {
  readonly found: Match[];
  /** The oldest row that was looked at; null where none is left below it. */
  readonly downTo: number | null;
}

/** Matches that are ranked among one another; older ones come with the cursor. */
const MOST_MATCHES = 1_000;
/** Rows of the first window. */
const FIRST_WIDTH = 20_000;
/** A window that took less is followed by one of twice its width. */
const SHORT_MS = 10;
/** After it, what fills a page is enough. */
const ENOUGH_MS = 40;
/** After it, what was found is the page: words that are seldom together would have every row looked at. */
const MOST_MS = 70;

/** Characters of a mail's text that are looked through. */
export const BODY_CHARS = 20_000;

export interface TextReader {
  /** Null where the row is gone. */
  read(seq: number): ScoredText | null;
}

export const findMatches = (connection: Database, texts: TextReader, job: WordsJob): Matches => {
  const { part, limit, timeMs, parameters } = job;
  const begun = performance.now();
  const spent = () => performance.now() - begun;
  const window = connection.prepare<unknown[], Match>(job.sql);
  const newest = connection.prepare<[], { seq: number | null }>('select max(seq) as seq from message_texts').get();
  const verify = createVerifier(job, isExact);
  const isMatch = ({ seq }: Match): boolean => {
    const text = verify && texts.read(seq);
    return !verify || (text !== null && verify(text));
  };

  const floor = part.downTo ?? 1;
  // Rows that were ranked for an earlier page are ranked again, all of them.
  const most = part.downTo === null ? MOST_MATCHES : Number.POSITIVE_INFINITY;
  const found: Match[] = [];
  let top = part.below ?? (newest?.seq ?? 0) + 1;
  let width = FIRST_WIDTH;
  while (top > floor) {
    const windowBegun = spent();
    const low = Math.max(floor, top - width);
    const room = Math.min(most - found.length, width);
    const rows = window.all(...parameters, top, low, room);
    found.push(...rows.filter(isMatch));
    // A full window may have more below its last row.
    top = rows.length === room ? (rows.at(-1)?.seq ?? low) : low;
    if (found.length >= most) break;
    if (spent() > Math.min(found.length >= limit ? ENOUGH_MS : MOST_MS, timeMs)) break;
    if (spent() - windowBegun < SHORT_MS) width *= 2;
  }
  return { found, downTo: top > 1 ? top : null };
};
