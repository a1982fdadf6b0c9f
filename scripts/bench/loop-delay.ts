/**
 * Loaded into the daemon by `node --import`: measures how long its event loop is held. At SIGUSR2 it writes what it has
 * measured into the file that $BENCH_LOOP_DELAY names, and begins anew.
 */

import { renameSync, writeFileSync } from 'node:fs';
import { createHistogram, monitorEventLoopDelay, type RecordableHistogram } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Of the timers. What they measure is the time from one tick to the next, of which so much is no delay. */
const TICK_MS = 5;

/** Records the processor time that the main thread has used between two ticks, in microseconds. */
const recordWork = (histogram: RecordableHistogram): void => {
  let before = 0;
  const used = (): number => {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  };
  before = used();
  setInterval(() => {
    const now = used();
    histogram.record(Math.max(1, Math.round(now - before)));
    before = now;
  }, TICK_MS).unref();
};

const file = process.env.BENCH_LOOP_DELAY;
if (isMainThread && file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: TICK_MS });
  delays.enable();
  const work = createHistogram();
  recordWork(work);
  const delay = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - TICK_MS);
  process.on('SIGUSR2', () => {
    const report = {
      delay: {
        median: delay(delays.percentile(50)),
        p99: delay(delays.percentile(99)),
        worst: delay(delays.max),
      },
      work: { median: work.percentile(50) / 1e3, p99: work.percentile(99) / 1e3, worst: work.max / 1e3 },
    };
    writeFileSync(`${file}.new`, JSON.stringify(report));
    renameSync(`${file}.new`, file);
    delays.reset();
    work.reset();
  });
}
