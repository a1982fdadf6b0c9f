/** Threads that the first job starts, and that end after a while without one. */

import { Piscina } from 'piscina';
import type { Millis } from '../../kernel/clock.ts';
import { ThreadError } from '../store-errors.ts';

/** A thread for searches ends after it without one. */
export const SEARCH_IDLE_MS: Millis = 60_000;

export interface ThreadPool<Job> {
  /** @throws ThreadError where no thread starts */
  run<Answer>(job: Job): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * @param worker the file of a thread
 * @param most threads, and jobs at once
 */
export const createThreadPool = <Job>(
  worker: URL,
  workerData: unknown,
  { most, idleMs }: { most: number; idleMs: Millis },
): ThreadPool<Job> => {
  let pool: Piscina<Job> | null = null;
  let fault: ThreadError | null = null;
  const start = (): Piscina<Job> => {
    const started = new Piscina<Job>({
      filename: worker.href,
      workerData,
      minThreads: 0,
      recordTiming: false,
      maxThreads: most,
      idleTimeout: idleMs,
    });
    fault = null;
    // Drops a pool with a thread that cannot start: jobs would wait for it for ever. The next job begins anew.
    started.on('error', (error: Error) => {
      fault = new ThreadError(error.message, { cause: error });
      pool = null;
      void started.destroy();
    });
    return started;
  };
  return {
    run: (job) => {
      pool ??= start();
      return pool.run(job).catch((error: unknown) => {
        throw fault ?? error;
      });
    },
    close: async () => {
      await pool?.destroy();
    },
  };
};
