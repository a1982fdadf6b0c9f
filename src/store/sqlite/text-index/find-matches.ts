/**
 * Finds the newest matches of a search, by windows over the rows. The clock is read after each row that matches; rows
 * that do not match are bounded by a window's width. Rows that are not in the index yet are the newest: their texts are read.
 */

import type { Database } from 'better-sqlite3';
import type { Millis } from '../../../kernel/clock.ts';
import type { FilterRow } from '../../search/find-filtered.ts';
import type { SearchPosition } from '../../search/full-text-search.ts';
import { isBroken } from './index-file.ts';
import type { IndexReader, ReadableIndex } from './index-reader.ts';
import type { WordsJob } from './search-job.ts';
import { workedMs } from './work-clock.ts';

export interface Match extends SearchPosition {
  createdAt: Millis;
}

export interface Matches {
  readonly found: Match[];
  /** The oldest row that was looked at; null where none is left below it. */
  readonly downTo: number | null;
  /** Whether the index was found damaged: it has to be made again. */
  readonly isIndexDamaged: boolean;
  /** Whether texts were read that are not in it yet. */
  readonly isIndexBehind: boolean;
}

/** Matches that are ranked among one another; older ones come with the cursor. */
const MOST_MATCHES = 1_000;
/** Rows of the first window. */
const FIRST_WIDTH = 20_000;
/** For a window of texts that are read. */
const UNINDEXED_WIDTH = 2_000;
/** Texts that are read without regard to a page's time: more wait for the index only while it is made again. */
const MOST_UNINDEXED = 2_000;
/** A window that took less is followed by one of twice its width. */
const SHORT_MS = 10;
/** Rows that a page looks at however much work they are: a thread that has just started searches a small mailbox whole. */
const FEWEST_LOOKS = 100;
/** Of work (work-clock.ts), after which what fills a page is enough. */
const ENOUGH_MS = 30;
/** Of work, after which what was found is the page: words that are seldom together would have every row looked at. */
const MOST_MS = 40;

export interface MatchSources {
  readonly data: Database;
  readonly index: IndexReader;
}

/** @param look at a row that the index matches, or that is not indexed; null: it is no match */
export const findMatches = (
  { data, index: reader }: MatchSources,
  { part, limit, timeMs, parameters, sql, match }: WordsJob,
  look: (row: FilterRow, isIndexed: boolean) => Match | null,
): Matches => {
  const started = performance.now();
  let begun = workedMs();
  const window = data.prepare<unknown[], FilterRow>(sql);
  const newest = data.prepare<[], { seq: number | null }>('select max(seq) as seq from messages').get();
  let index = reader.current();
  let isIndexDamaged = false;
  const floor = part.downTo ?? 1;
  const found: Match[] = [];
  let unindexed = 0;
  let looks = 0;
  const isLate = (): boolean => performance.now() - started > timeMs;
  const isOver = (): boolean => {
    // Rows that were ranked for an earlier page are ranked again, all of them: else some would be shown twice.
    if (part.after !== null || isLate()) return isLate();
    return found.length >= MOST_MATCHES || workedMs() - begun > (found.length >= limit ? ENOUGH_MS : MOST_MS);
  };

  function* indexed(readable: ReadableIndex, top: number, low: number): Generator<FilterRow | number> {
    for (const seq of readable.find(match, top, low)) yield window.get(...parameters, seq + 1, seq) ?? seq;
  }

  /** @returns the row at which time was over; else `low` */
  const walk = (readable: ReadableIndex | null, top: number, low: number): number => {
    const rows = readable ? indexed(readable, top, low) : window.iterate(...parameters, top, low);
    for (const row of rows) {
      // A number alone: the mail is deleted, and the index does not know it yet.
      const taken = typeof row !== 'number' && row.fits === 1 ? look(row, readable !== null) : null;
      if (taken) found.push(taken);
      if (!readable && ++unindexed <= MOST_UNINDEXED) begun = workedMs();
      looks += 1;
      if (looks < FEWEST_LOOKS ? isLate() : isOver()) return typeof row === 'number' ? row : row.seq;
    }
    return low;
  };

  let top = part.below ?? (newest?.seq ?? 0) + 1;
  let width = FIRST_WIDTH;
  while (top > floor) {
    const windowBegun = performance.now();
    const covered = index?.position ?? 0;
    const readable = top - 1 <= covered ? index : null;
    const low = readable ? Math.max(floor, top - width) : Math.max(floor, covered + 1, top - UNINDEXED_WIDTH);
    const kept = found.length;
    try {
      top = walk(readable, top, low);
    } catch (error) {
      if (!readable || !isBroken(error)) throw error;
      // Its window is walked again, by the texts.
      found.length = kept;
      isIndexDamaged = true;
      index = null;
      reader.giveUp();
      continue;
    }
    if (isOver()) break;
    if (readable && performance.now() - windowBegun < SHORT_MS) width *= 2;
  }
  return { found, downTo: top > 1 ? top : null, isIndexDamaged, isIndexBehind: unindexed > 0 };
};
