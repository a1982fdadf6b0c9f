/**
 * Finds the newest messages that fit a filter, in windows over the mailbox's rows, so that the walk can stop by time.
 */

import type { Database } from 'better-sqlite3';
import type { Millis } from '../../kernel/clock.ts';
import type { SearchPosition } from '../search/full-text-search.ts';
import type { FilterJob } from './text-index/search-job.ts';

/** Rows of a window; one takes a few milliseconds. */
const WIDTH = 2_000;
/** The walk ends after this time with a cursor: a filter with few matches would read a whole mailbox. */
const ENOUGH_MS: Millis = 30;

interface Row {
  seq: number;
  createdAt: Millis;
  fits: 0 | 1;
}

export interface Filtered {
  readonly best: SearchPosition[];
  /** Time of the last row read, where the walk ended before the page was full; else null. */
  readonly rankedDownTo: Millis | null;
}

export const findFiltered = (connection: Database, { sql, parameters, part, limit, timeMs }: FilterJob): Filtered => {
  const window = connection.prepare<unknown[], Row>(sql);
  const end = performance.now() + Math.min(timeMs, ENOUGH_MS);
  const best: SearchPosition[] = [];
  let below = Math.min(part.below ?? Number.MAX_SAFE_INTEGER, part.after ? -part.after.rank : Number.MAX_SAFE_INTEGER);
  for (;;) {
    const rows = window.all(...parameters, below, WIDTH);
    for (const { seq, createdAt, fits } of rows) {
      if (fits === 1) best.push({ seq, rank: -createdAt });
      if (best.length >= limit) return { best, rankedDownTo: null };
    }
    const last = rows.at(-1);
    if (!last || rows.length < WIDTH) return { best, rankedDownTo: null };
    below = last.createdAt;
    if (performance.now() > end) return { best, rankedDownTo: below };
  }
};
