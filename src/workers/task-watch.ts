/**
 * The state of a task in a worker thread, in two words of shared memory that the main thread can read while the thread
 * hangs: the thread that runs it, and since when. (Piscina's AbortSignal is not used: it limits a thread to one task at
 * a time, and its queue has no bound.)
 */

export type TaskWatch = Int32Array<SharedArrayBuffer>;

const THREAD = 0;
const BEGAN = 1;
/** In place of a thread id: the task was withdrawn. */
const GIVEN_UP = -1;

export const createTaskWatch = (): TaskWatch => new Int32Array(new SharedArrayBuffer(8));

/** The low 32 bits of epoch milliseconds: only differences are used. */
const lowBits = (now: number): number => Math.trunc(now) | 0;

/** Called by the thread. @returns false where the task was withdrawn */
export const beginTask = (watch: TaskWatch, threadId: number, now: number): boolean => {
  Atomics.store(watch, BEGAN, lowBits(now));
  return Atomics.compareExchange(watch, THREAD, 0, threadId) === 0;
};

/** Withdraws a task that no thread has begun. @returns false where one has */
export const giveUpTask = (watch: TaskWatch): boolean => Atomics.compareExchange(watch, THREAD, 0, GIVEN_UP) === 0;

/** The thread that runs the task, and for how long; null where none has begun. */
export const progressOf = (watch: TaskWatch, now: number): { threadId: number; forMs: number } | null => {
  const threadId = Atomics.load(watch, THREAD);
  if (threadId <= 0) return null;
  return { threadId, forMs: (lowBits(now) - Atomics.load(watch, BEGAN)) | 0 };
};
