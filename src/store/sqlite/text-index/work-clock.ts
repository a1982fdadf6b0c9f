import { performance } from 'node:perf_hooks';

/** The share of waiting that counts: for the disk, or for a turn on a busy machine. */
const WAITING = 0.25;

/** Milliseconds that this thread has worked since some moment, by which the work of a page is bounded. */
export const workedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  const cpu = (user + system) / 1_000;
  return cpu + (performance.now() - cpu) * WAITING;
};
