/** Threads with reading connections of their own, started with the first search: a long search delays nothing else. */

import { Piscina } from 'piscina';
import type { PassageHit, PassageQuery } from './passages/passage-search.ts';

/** A search of passages, as a thread runs it. */
export interface PassageJob extends PassageQuery {
  readonly kind: 'passages';
}

/** `Job` and `Found`: a page of a search of mail, as the engine's thread takes and gives it. */
export interface SearchThreads<Job, Found> {
  run(job: Job): Promise<Found>;
  runPassages(query: PassageQuery): Promise<PassageHit[]>;
  close(): Promise<void>;
}

/** A thread ends after it without a search. */
const IDLE_MS = 60_000;

/**
 * @param worker the engine's file for a thread
 * @param most searches at once; the budget's turns come first
 */
export const createSearchThreads = <Job, Found>(
  worker: URL,
  workerData: unknown,
  most: number,
): SearchThreads<Job, Found> => {
  let pool: Piscina | null = null;
  const start = () =>
    new Piscina({
      filename: worker.href,
      workerData,
      minThreads: 0,
      recordTiming: false,
      maxThreads: most,
      idleTimeout: IDLE_MS,
    });
  const run = <Answer>(job: Job | PassageJob): Promise<Answer> => {
    pool ??= start();
    return pool.run(job);
  };
  return {
    run: (job) => run<Found>(job),
    runPassages: (query) => run<PassageHit[]>({ kind: 'passages', ...query }),
    close: async () => {
      await pool?.destroy();
    },
  };
};
