/** Recurring jobs. Scheduled by the system clock; each job works by the clock of the runtime. */

import { Cron } from 'croner';

export interface Job {
  name: string;
  /** A cron pattern, in UTC. */
  pattern: string;
  run(): Promise<void>;
}

export interface Jobs {
  start(): void;
  /** Runs every job once, at once and in sequence. */
  runAll(): Promise<void>;
  stop(): Promise<void>;
}

export const EVERY_MINUTE = '* * * * *';
export const EVERY_HOUR = '7 * * * *';

export const createJobs = (jobs: readonly Job[], onError: (error: unknown, job: string) => void): Jobs => {
  /** The latest run of each. One job never runs twice at once: both would see the same report as due, and mail it. */
  const latest = new Map<Job, Promise<void>>();
  let crons: Cron[] = [];
  const run = (job: Job): Promise<void> => {
    const before = latest.get(job) ?? Promise.resolve();
    const ending = before.then(() => job.run()).catch((error: unknown) => onError(error, job.name));
    latest.set(job, ending);
    return ending;
  };
  return {
    start: () => {
      // `protect` skips a run while the previous one of the same job is in progress.
      crons = jobs.map((job) => new Cron(job.pattern, { protect: true, timezone: 'UTC' }, () => run(job)));
    },
    runAll: async () => {
      for (const job of jobs) await run(job);
    },
    stop: async () => {
      for (const cron of crons) cron.stop();
      await Promise.all(latest.values());
    },
  };
};
