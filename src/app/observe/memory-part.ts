/** Collects garbage once the daemon rests after a load: V8 by itself keeps what a load left until the next one. */

import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { EVERY_MINUTE, type Job } from '../jobs.ts';

/** The share of the time in which the event loop worked; above it a collection would delay someone. */
const RESTING = 0.05;
/** A collection takes 40 to 100 ms: it is worth that where memory has grown by so many octets since the last one. */
const LEAST_GROWTH = 16 * 1024 ** 2;

interface Memory {
  /** The share of the time since the last call in which the event loop worked, from 0 to 1. */
  utilization(): number;
  /** Octets that the process holds. */
  resident(): number;
  collect(): void;
}

let collectGarbage: (() => void) | null = null;
/** Node gives the function to a context that is made with the flag. One is enough, and a start does not wait for it. */
const findCollector = (): (() => void) => {
  setFlagsFromString('--expose-gc');
  collectGarbage ??= runInNewContext('gc') as () => void;
  return collectGarbage;
};

const systemMemory = (): Memory => {
  let before = performance.eventLoopUtilization();
  return {
    utilization: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    resident: process.memoryUsage.rss,
    collect: () => findCollector()(),
  };
};

/** @param given in the place of the process's own */
export const createMemoryPart = (given: Partial<Memory> = {}): { jobs: Job[] } => {
  const { utilization, resident, collect } = { ...systemMemory(), ...given };
  let settled = 0;
  const run = async (): Promise<void> => {
    if (utilization() > RESTING || resident() < settled + LEAST_GROWTH) return;
    collect();
    settled = resident();
  };
  return { jobs: [{ name: 'collect garbage', pattern: EVERY_MINUTE, run }] };
};
