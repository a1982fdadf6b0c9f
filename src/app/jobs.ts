/** Recurring jobs, with the runtime's schedule and clock. */

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

/** Calls `run` at each time of a pattern, but not while the previous call is in progress. @returns ends it */
export type Schedule = (pattern: string, run: () => Promise<void>) => { stop(): void };

/** By the system clock, in UTC. As an offset: a zone by its name costs each start 25 ms. */
export const systemSchedule: Schedule = (pattern, run) => new Cron(pattern, { protect: true, utcOffset: 0 }, run);

export const createJobs = (
  parts: readonly { readonly jobs?: readonly Job[] }[],
  schedule: Schedule,
  onError: (error: unknown, job: string) => void,
): Jobs => {
  const jobs = parts.flatMap((part) => part.jobs ?? []);
  /** The latest run of each job. A job never runs twice at once: both runs would mail the same report. */
  const latest = new Map<Job, Promise<void>>();
  let scheduled: ReturnType<Schedule>[] = [];
  const run = (job: Job): Promise<void> => {
    const before = latest.get(job) ?? Promise.resolve();
    const ending = before.then(() => job.run()).catch((error: unknown) => onError(error, job.name));
    latest.set(job, ending);
    return ending;
  };
  return {
    start: () => {
      scheduled = jobs.map((job) => schedule(job.pattern, () => run(job)));
    },
    runAll: async () => {
      for (const job of jobs) await run(job);
    },
    stop: async () => {
      for (const each of scheduled) each.stop();
      await Promise.all(latest.values());
    },
  };
};
