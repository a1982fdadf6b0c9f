/** A search thread: ranks matches, newest first, until its time ends, and reads the best of them. */

import { workerData } from 'piscina';
import { toExcerpt } from '../search/excerpt.ts';
import type { SearchPage, SearchPosition } from '../search/full-text-search.ts';
import { openConnection } from './open-database.ts';
import { type HitRow, hitFrom, hitQuery, type SearchJob } from './search-job.ts';

const connection = openConnection((workerData as { path: string }).path, 'read');
const readHit = connection.prepare<[number], HitRow>(hitQuery);

/** Ranked in any case, so that a search that goes on by its cursor makes progress. */
const LEAST_RANKED = 500;
const LOOK_AT_CLOCK_EVERY = 50;

const isBehind = (one: SearchPosition, other: SearchPosition): boolean =>
  one.rank > other.rank || (one.rank === other.rank && one.seq < other.seq);

/** Keeps the best in order. */
const insert = (best: SearchPosition[], found: SearchPosition, limit: number): void => {
  const last = best.at(-1);
  if (best.length === limit && last && isBehind(found, last)) return;
  let at = best.length;
  while (at > 0 && isBehind(best[at - 1] as SearchPosition, found)) at -= 1;
  best.splice(at, 0, found);
  if (best.length > limit) best.pop();
};

const rank = ({ sql, parameters, after, limit, timeMs }: SearchJob) => {
  const until = performance.now() + timeMs;
  const best: SearchPosition[] = [];
  let ranked = 0;
  for (const row of connection.prepare<unknown[], SearchPosition>(sql).iterate(...parameters)) {
    if (after === null || isBehind(row, after)) insert(best, row, limit);
    ranked += 1;
    const isTime = ranked >= LEAST_RANKED && ranked % LOOK_AT_CLOCK_EVERY === 0 && performance.now() > until;
    if (isTime) return { best, rankedDownTo: row.seq };
  }
  return { best, rankedDownTo: null };
};

export default (job: SearchJob): SearchPage => {
  const { best, rankedDownTo } = job.isRanked
    ? { best: connection.prepare<unknown[], SearchPosition>(job.sql).all(...job.parameters), rankedDownTo: null }
    : rank(job);
  const hits = best.flatMap((position) => {
    const row = readHit.get(position.seq);
    if (!row) return [];
    const excerpt = toExcerpt({ subject: row.subject, body: row.body ?? '', snippet: row.snippet }, job.terms);
    return [{ ...hitFrom(row), ...position, excerpt }];
  });
  return { hits, rankedDownTo };
};
