/**
 * Tells whether the loop of a worker thread stands still. Each thread writes a heartbeat into shared memory, by its id: when
 * its loop last turned, and the processor time that the thread had used by then. A thread that waits, for DNS or for a
 * processor, uses none, and is no stalled one.
 */

import type { Worker } from 'node:worker_threads';
import { type Millis, SECOND } from '../kernel/clock.ts';

export type Heartbeats = Int32Array<SharedArrayBuffer>;

export const HEARTBEAT_MS: Millis = 200;
/** Ids ascend over the process's life; of those that live at once no two are so far apart. A slot: id, time, usage. */
const SLOTS = 1_024;
/** A thread in native code does not say what it has used: after so many times the bound its silence decides. */
const SILENCE_DECIDES = 5;
const ASK_WITHIN_MS: Millis = SECOND;

export const createHeartbeats = (): Heartbeats => new Int32Array(new SharedArrayBuffer(3 * 4 * SLOTS));

const slotOf = (threadId: number): number => 3 * (threadId % SLOTS);
/** The low bits of milliseconds: only differences count. */
const lowBits = (ms: number): number => Math.trunc(ms) | 0;
const usedMs = ({ user, system }: NodeJS.CpuUsage): Millis => (user + system) / 1_000;

/** Called in the thread. */
export const startHeartbeat = (heartbeats: Heartbeats, threadId: number): void => {
  const beat = (): void => {
    Atomics.store(heartbeats, slotOf(threadId) + 1, lowBits(Date.now()));
    Atomics.store(heartbeats, slotOf(threadId) + 2, lowBits(usedMs(process.threadCpuUsage())));
  };
  beat();
  Atomics.store(heartbeats, slotOf(threadId), threadId);
  setInterval(beat, HEARTBEAT_MS).unref();
};

export const hasStarted = (heartbeats: Heartbeats, threadId: number): boolean =>
  Atomics.load(heartbeats, slotOf(threadId)) === threadId;

/** How long ago the thread's loop last turned; 0 for a thread that is starting. */
const silentFor = (heartbeats: Heartbeats, { threadId }: Worker): Millis => {
  if (!hasStarted(heartbeats, threadId)) return 0;
  return (lowBits(Date.now()) - Atomics.load(heartbeats, slotOf(threadId) + 1)) | 0;
};

/** How long the thread's loop has stood still; null where it has not, or worked for less than `stallMs` meanwhile. */
export const findStall = async (heartbeats: Heartbeats, thread: Worker, stallMs: Millis): Promise<Millis | null> => {
  const silentMs = silentFor(heartbeats, thread);
  if (silentMs < stallMs) return null;
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), ASK_WITHIN_MS);
  const usage = await Promise.race([thread.cpuUsage().catch(() => null), late]).finally(() => clearTimeout(timer));
  const workedMs = usage && (lowBits(usedMs(usage)) - Atomics.load(heartbeats, slotOf(thread.threadId) + 2)) | 0;
  const isStalled = workedMs === null ? silentMs >= SILENCE_DECIDES * stallMs : workedMs >= stallMs;
  return isStalled ? silentFor(heartbeats, thread) : null;
};
