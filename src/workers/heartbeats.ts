/**
 * Detects a stalled loop of a worker thread. Each thread writes a heartbeat into shared memory: the time of its loop's
 * last turn, and the processor time used by then. A thread that waits, for DNS or a processor, uses none and is not
 * stalled.
 */

import type { Worker } from 'node:worker_threads';
import { type Millis, SECOND, steadyClock } from '../kernel/clock.ts';

export type Heartbeats = Int32Array<SharedArrayBuffer>;

export const HEARTBEAT_MS: Millis = 200;
/** Thread ids ascend, and live ones are never this far apart. A slot: id, time, usage. */
const SLOTS = 1_024;
/** A thread in native code does not report its processor time: after this many times the bound it counts as stalled. */
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
    Atomics.store(heartbeats, slotOf(threadId) + 1, lowBits(steadyClock.now()));
    Atomics.store(heartbeats, slotOf(threadId) + 2, lowBits(usedMs(process.threadCpuUsage())));
  };
  beat();
  Atomics.store(heartbeats, slotOf(threadId), threadId);
  setInterval(beat, HEARTBEAT_MS).unref();
};

/** A thread that has ended has the id -1. */
export const hasStarted = (heartbeats: Heartbeats, threadId: number): boolean =>
  threadId >= 0 && Atomics.load(heartbeats, slotOf(threadId)) === threadId;

/** How long ago the thread's loop last turned; 0 for a thread that is starting, or has ended. */
const silentFor = (heartbeats: Heartbeats, threadId: number): Millis => {
  if (!hasStarted(heartbeats, threadId)) return 0;
  return (lowBits(steadyClock.now()) - Atomics.load(heartbeats, slotOf(threadId) + 1)) | 0;
};

/**
 * How long the thread's loop has stood still; null where it turned, or used less than `stallMs` of processor time
 * since.
 */
export const findStall = async (heartbeats: Heartbeats, thread: Worker, stallMs: Millis): Promise<Millis | null> => {
  const { threadId } = thread;
  const silentMs = silentFor(heartbeats, threadId);
  if (!hasStarted(heartbeats, threadId) || silentMs < stallMs) return null;
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), ASK_WITHIN_MS);
  const usage = await Promise.race([thread.cpuUsage().catch(() => null), late]).finally(() => clearTimeout(timer));
  if (thread.threadId !== threadId) return null;
  const workedMs = usage && (lowBits(usedMs(usage)) - Atomics.load(heartbeats, slotOf(threadId) + 2)) | 0;
  const isStalled = workedMs === null ? silentMs >= SILENCE_DECIDES * stallMs : workedMs >= stallMs;
  return isStalled ? silentFor(heartbeats, threadId) : null;
};
