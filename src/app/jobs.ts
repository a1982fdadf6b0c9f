/** What recurs: by the clock on the wall when it runs, by the clock handed in what it does. */

import { Cron } from 'croner';

export interface Job {
  name: string;
  /** A cron pattern, in UTC. */
  pattern: string;
  run(): Promise<void>;
}

export interface Jobs {
  start(): void;
  /** Runs every job once, now, one after the other. */
  runAll(): Promise<void>;
  stop(): Promise<void>;
}

export const EVERY_MINUTE = '* * * * *';
export const EVERY_HOUR = '7 * * * *';

export const createJobs = (jobs: readonly Job[], onError: (error: unknown, job: string) => void): Jobs => {
  const running = new Set<Promise<void>>();
  let crons: Cron[] = [];
  const run = (job: Job): Promise<void> => {
    const ending = job
      .run()
      .catch((error: unknown) => onError(error, job.name))
      .finally(() => running.delete(ending));
    running.add(ending);
    return ending;
  };
  return {
    start: () => {
      // `protect`: a run that takes longer than its interval is not joined by another.
      crons = jobs.map((job) => new Cron(job.pattern, { protect: true, timezone: 'UTC' }, () => run(job)));
    },
    runAll: async () => {
      for (const job of jobs) await run(job);
    },
    stop: async () => {
      for (const cron of crons) cron.stop();
      await Promise.all(running);
    },
  };
};
