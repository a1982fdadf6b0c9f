/**
 * Finds the newest matches of a search, by windows over the rows: the clock is looked at after each row that the index
 * matches, and what it does not match is bounded by a window's width.
 */

import type { Database } from 'better-sqlite3';
import type { Millis } from '../../kernel/clock.ts';
import type { SearchPosition } from '../search/full-text-search.ts';
import type { WordsJob } from './search-job.ts';

/** A row that the index matches. */
export interface IndexRow {
  seq: number;
  createdAt: Millis;
  /** Whether the query's filters take it. */
  fits: 0 | 1;
}

export interface Match extends SearchPosition {
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
const ENOUGH_MS = 30;
/** After it, what was found is the page: words that are seldom together would have every row looked at. */
const MOST_MS = 40;

/** @param look at a row that the index matches; null: it is none after all */
export const findMatches = (
  connection: Database,
  { part, limit, timeMs, parameters, sql }: WordsJob,
  look: (row: IndexRow) => Match | null,
): Matches => {
  const begun = performance.now();
  const spent = () => performance.now() - begun;
  const window = connection.prepare<unknown[], IndexRow>(sql);
  const newest = connection.prepare<[], { seq: number | null }>('select max(seq) as seq from message_texts').get();
  const floor = part.downTo ?? 1;
  const found: Match[] = [];
  const isOver = (): boolean => {
    // Rows that were ranked for an earlier page are ranked again, all of them: else some would be shown twice.
    if (part.after !== null) return spent() > timeMs;
    return found.length >= MOST_MATCHES || spent() > Math.min(found.length >= limit ? ENOUGH_MS : MOST_MS, timeMs);
  };

  let top = part.below ?? (newest?.seq ?? 0) + 1;
  let width = FIRST_WIDTH;
  while (top > floor) {
    const windowBegun = spent();
    const low = Math.max(floor, top - width);
    let last = low;
    for (const row of window.iterate(...parameters, top, low)) {
      const match = row.fits === 1 ? look(row) : null;
      if (match) found.push(match);
      if (!isOver()) continue;
      last = row.seq;
      break;
    }
    top = last;
    if (isOver()) break;
    if (spent() - windowBegun < SHORT_MS) width *= 2;
  }
  return { found, downTo: top > 1 ? top : null };
};
