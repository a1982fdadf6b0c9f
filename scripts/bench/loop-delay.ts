/**
 * Loaded into the daemon by `node --import`: measures the delay of its event loop. At SIGUSR2 it writes what it has measured
 * into the file that $BENCH_LOOP_DELAY names, and begins anew.
 */

import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** The histogram has the time from one tick of its timer to the next, of which so much is no delay. */
const RESOLUTION_MS = 5;

const file = process.env.BENCH_LOOP_DELAY;
if (isMainThread && file !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const delay = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  process.on('SIGUSR2', () => {
    const { count } = histogram;
    const [median, p99, p999] = [50, 99, 99.9].map((percent) => delay(histogram.percentile(percent)));
    writeFileSync(`${file}.new`, JSON.stringify({ count, median, p99, p999, worst: delay(histogram.max) }));
    renameSync(`${file}.new`, file);
    histogram.reset();
  });
}
