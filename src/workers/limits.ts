/** Limits of a mail's task in a worker thread; the thread is ended beyond those of time and memory. */

import { type Millis, SECOND } from '../kernel/clock.ts';

export interface WorkerLimits {
  /** From the moment that a thread has the task. */
  readonly taskMs: Millis;
  /** Before that: a thread may have to be started. */
  readonly startMs: Millis;
  /** Processor time for which a thread's loop may stand still, in a shared thread or in a task's own. */
  readonly stallMs: Millis;
  readonly largeStallMs: Millis;
  /** A thread's heap, in MB. */
  readonly heapMb: number;
  /** What a thread may hold outside its heap, in MB: octets of mail, and what documents unpack to. */
  readonly offHeapMb: number;
  /** Tasks in progress in a thread at once. */
  readonly tasksPerThread: number;
  /** A task on more octets of mail than this runs in a thread of its own. */
  readonly largeOctets: number;
}

export const WORKER_LIMITS: WorkerLimits = {
  // DNS may take 20 s for the checks and 10 for the policy, with 5 more for a last answer (mail/auth/bounded-resolver.ts); reading the largest mail takes about one.
  // Two attempts at the whole and two at the header alone stay within the 10 minutes of RFC 5321 section 4.5.3.2.6.
  taskMs: 45 * SECOND,
  startMs: 20 * SECOND,
  // All other tasks of the thread wait for it. A mail of 1 MiB takes a tenth of it.
  stallMs: SECOND,
  // The largest mail takes about one second; only large and suspect mail waits for these threads.
  largeStallMs: 5 * SECOND,
  // The worst mail of 25 MiB takes 110, without its octets, which lie outside the heap. A guard for the unforeseen: a
  // single very large allocation beyond it ends the process, not the thread.
  heapMb: 512,
  // The largest mail takes 200. It is looked at five times a second, in which a stream of a PDF may double.
  offHeapMb: 384,
  // A thread that waits for DNS works on other mail meanwhile.
  tasksPerThread: 16,
  // Sixteen of these are no more than one of the largest; hardly any mail without attachments has so much.
  largeOctets: 1024 * 1024,
};

/** Characters of a text kept for reading and search; the raw message has all of it. */
export const MAX_TEXT_CHARS = 1_000_000;
