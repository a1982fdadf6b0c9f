/**
 * Finds a thread that holds too much memory outside its heap, which V8's limit of the heap does not count: a PDF of
 * 10 KB may unpack to gigabytes.
 */

import type { Worker } from 'node:worker_threads';

const MB = 1024 * 1024;
/** A thread in native code does not answer until it is back. */
const asked = new WeakSet<Worker>();

/** @returns what it holds, in MB; null where it is no more than `mostMb`, or where the thread has ended or has yet to answer */
export const findExcess = async (thread: Worker, mostMb: number): Promise<number | null> => {
  if (asked.has(thread)) return null;
  asked.add(thread);
  try {
    const heldMb = Math.round((await thread.getHeapStatistics()).external_memory / MB);
    return heldMb > mostMb ? heldMb : null;
  } catch {
    return null;
  } finally {
    asked.delete(thread);
  }
};
