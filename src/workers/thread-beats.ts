/**
 * Whether the loops of worker threads turn. Each thread writes into shared memory, by its id, when its loop last turned and
 * how much processor time the thread had used by then: one that stands still and works holds up all its tasks; one that
 * waits for DNS, or for a processor on a busy machine, does not.
 */

import type { Worker } from 'node:worker_threads';
import { type Millis, SECOND } from '../kernel/clock.ts';

export type Beats = Int32Array<SharedArrayBuffer>;

const EVERY_MS: Millis = 200;
/** Ids ascend over the process's life; of those that live at once no two are so far apart. */
const SLOTS = 1_024;
/** A thread in native code does not say what it has used: after so many times the bound its silence decides. */
const SILENCE_DECIDES = 5;
const ASK_WITHIN_MS: Millis = SECOND;

export const createBeats = (): Beats => new Int32Array(new SharedArrayBuffer(2 * 4 * SLOTS));

const slotOf = (threadId: number): number => 2 * (threadId % SLOTS);
/** The low bits of milliseconds: only differences count. */
const lowBits = (ms: number): number => Math.trunc(ms) | 0;
const usedMs = ({ user, system }: NodeJS.CpuUsage): Millis => (user + system) / 1_000;

const beat = (beats: Beats, threadId: number): void => {
  Atomics.store(beats, slotOf(threadId), lowBits(Date.now()));
  Atomics.store(beats, slotOf(threadId) + 1, lowBits(usedMs(process.threadCpuUsage())));
};

/** Called in the thread. */
export const startBeating = (beats: Beats, threadId: number): void => {
  beat(beats, threadId);
  setInterval(() => beat(beats, threadId), EVERY_MS).unref();
};

/** How long a thread's loop has stood still, give or take the time between two beats. */
export const silentFor = (beats: Beats, threadId: number, now: Millis): Millis =>
  (lowBits(now) - Atomics.load(beats, slotOf(threadId))) | 0;

/** Whether a thread whose loop has stood still for so long has also worked for so long. */
export const isStalled = async (beats: Beats, thread: Worker, stallMs: Millis): Promise<boolean> => {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), ASK_WITHIN_MS);
  const usage = await Promise.race([thread.cpuUsage().catch(() => null), late]).finally(() => clearTimeout(timer));
  const { threadId } = thread;
  if (usage === null) return silentFor(beats, threadId, Date.now()) >= SILENCE_DECIDES * stallMs;
  return ((lowBits(usedMs(usage)) - Atomics.load(beats, slotOf(threadId) + 1)) | 0) >= stallMs;
};
