/**
 * What the main thread knows of a task in a worker: whether a thread has begun with it, which one, and when. Two words of
 * shared memory, because a thread that hangs answers nothing. (Piscina's own AbortSignal is not used: a thread takes one
 * abortable task at a time, and the queue of such tasks has no bound.)
 */

export type TaskWatch = Int32Array<SharedArrayBuffer>;

const THREAD = 0;
const BEGAN = 1;
/** In a thread's place: nobody waits for the answer any more. */
const GIVEN_UP = -1;

export const createTaskWatch = (): TaskWatch => new Int32Array(new SharedArrayBuffer(8));

/** Seconds would be too coarse and 32 bits too few for epoch milliseconds: the low bits do, as only differences count. */
const lowBits = (now: number): number => Math.trunc(now) | 0;

/** Called by the thread that begins. @returns false where the task is not wanted any more */
export const beginTask = (watch: TaskWatch, threadId: number, now: number): boolean => {
  Atomics.store(watch, BEGAN, lowBits(now));
  return Atomics.compareExchange(watch, THREAD, 0, threadId) === 0;
};

/** Takes back a task that no thread has begun with. @returns false where one has */
export const giveUpTask = (watch: TaskWatch): boolean => Atomics.compareExchange(watch, THREAD, 0, GIVEN_UP) === 0;

/** The thread that has the task, and for how long; null where none has begun. */
export const progressOf = (watch: TaskWatch, now: number): { threadId: number; forMs: number } | null => {
  const threadId = Atomics.load(watch, THREAD);
  if (threadId <= 0) return null;
  return { threadId, forMs: (lowBits(now) - Atomics.load(watch, BEGAN)) | 0 };
};
