/** Threads with reading connections of their own, started with the first search: a long search delays nothing else. */

import { Piscina } from 'piscina';
import type { PassageHit, PassageQuery } from './passages/passage-search.ts';

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
    runPassages: (query) => run<Passages>({ kind: 'passages', ...query }),
    close: async () => {
      await pool?.destroy();
    },
  };
};
