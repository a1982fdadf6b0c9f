/** Threads with reading connections of their own, started with the first search: a long search delays no other query. */

import { Piscina } from 'piscina';
import type { PassageHit } from '../search/passages/passage-search.ts';
import type { PassageJob } from './searching.ts';
import type { FoundPage, SearchJob } from './text-index/search-job.ts';

export interface SearchThreads {
  run(job: SearchJob): Promise<FoundPage>;
  runPassages(job: PassageJob): Promise<PassageHit[]>;
  close(): Promise<void>;
}

/** The most searches at once; the budget's turns come first. */
const MOST_THREADS = 8;
/** A thread ends after it without a search. */
const IDLE_MS = 60_000;

export const createSearchThreads = (path: string): SearchThreads => {
  let pool: Piscina<SearchJob | PassageJob, FoundPage | PassageHit[]> | null = null;
  const start = () =>
    new Piscina<SearchJob | PassageJob, FoundPage | PassageHit[]>({
      filename: new URL('./search-threads.worker.ts', import.meta.url).href,
      workerData: { path },
      minThreads: 0,
      recordTiming: false,
      maxThreads: MOST_THREADS,
      idleTimeout: IDLE_MS,
    });
  const run = (job: SearchJob | PassageJob): Promise<FoundPage | PassageHit[]> => {
    pool ??= start();
    return pool.run(job);
  };
  return {
    run: (job) => run(job) as Promise<FoundPage>,
    runPassages: (job) => run(job) as Promise<PassageHit[]>,
    close: async () => {
      await pool?.destroy();
    },
  };
};
