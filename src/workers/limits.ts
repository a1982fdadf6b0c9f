/** What a mail may take of a worker thread before the thread is given up. */

import { type Millis, SECOND } from '../kernel/clock.ts';

export interface WorkerLimits {
  /** From the moment a thread begins with a task. */
  readonly taskMs: Millis;
  /** How long a task waits for a thread. */
  readonly waitMs: Millis;
  /** A thread's heap, in MB. */
  readonly heapMb: number;
  /** Tasks that wait at once; one more is refused, and who asked says so to its client. */
  readonly waiting: number;
  /** Tasks that a thread has in hand at once. */
  readonly tasksPerThread: number;
}

export const WORKER_LIMITS: WorkerLimits = {
  // DNS may take 20 s and its last answer 5 more (mail/dns-resolve.ts); reading the largest mail takes about one.
  // Two attempts and a third at the header alone stay within the 10 minutes of RFC 5321 section 4.5.3.2.6.
  taskMs: 45 * SECOND,
  // Behind a longer queue a client hears "try again later" while it still listens.
  waitMs: 60 * SECOND,
  // The largest mail that is taken, 25 MiB, needs about a quarter of it; its bytes themselves lie outside the heap.
  heapMb: 512,
  // Twice the length at which SMTP takes no further mail, so that what is being read finds its place.
  waiting: 1_000,
  // A thread that waits for DNS does other mail meanwhile.
  tasksPerThread: 16,
};
