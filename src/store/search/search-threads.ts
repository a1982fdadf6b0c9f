/** Threads with reading connections of their own, started with the first search: a long search delays nothing else. */

import type { PassageHit, PassageQuery } from './passages/passage-search.ts';
import { createThreadPool } from './thread-pool.ts';

/** A search of passages, as a thread runs it. */
export interface PassageJob extends PassageQuery {
  readonly kind: 'passages';
}

/** As the engine's thread takes and gives it: `Job` and `Found`, a page of a search of mail; `Passages`, a search of these. */
export interface SearchThreads<Job, Found, Passages = PassageHit[]> {
  run(job: Job): Promise<Found>;
  runPassages(query: PassageQuery): Promise<Passages>;
  close(): Promise<void>;
}

/** A thread ends after it without a search. */
const IDLE_MS = 60_000;

/**
 * @param worker the engine's file for a thread
 * @param most searches at once; the budget's turns come first
 */
export const createSearchThreads = <Job, Found, Passages = PassageHit[]>(
  worker: URL,
  workerData: unknown,
  most: number,
): SearchThreads<Job, Found, Passages> => {
  const pool = createThreadPool<Job | PassageJob>(worker, workerData, { most, idleMs: IDLE_MS });
  return {
    run: (job) => pool.run<Found>(job),
    runPassages: (query) => pool.run<Passages>({ kind: 'passages', ...query }),
    close: pool.close,
  };
};
