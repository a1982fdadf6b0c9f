/**
 * The worker pool: mail is parsed, verified, composed and signed in threads, off the event loop. Inbound mail and calls
 * have groups of threads of their own; each group is scheduled fairly by network and workspace.
 */

import type { FairQueue } from '../budget/fair-queue.ts';
import { type Occupant, toOwnerKey } from '../budget/occupant.ts';
import { systemClock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { WORKER_LIMITS, type WorkerLimits } from './limits.ts';
import { createSuspicion } from './suspicion.ts';
import { octetsOf } from './task-size.ts';
import type { Results, Task } from './tasks.ts';
import { ThreadDied } from './thread-died.ts';
import { createThreads, type Threads } from './worker-threads.ts';

export interface WorkerPool {
  /**
   * @param occupant whose share of the threads is used; left out: the instance's own
   * @throws PoolBusy where the pool is full and the task was not tried; another ApiError where the task refused its
   *   input. Any other error: the task failed twice, in a shared thread and in isolation
   */
  run<K extends Task['kind']>(task: Extract<Task, { kind: K }>, occupant?: Occupant): Promise<Results[K]>;
  /** Inbound mails that wait for a thread. */
  readonly waiting: number;
  /** Whether any task is in progress. */
  readonly busy: boolean;
  close(): Promise<void>;
}

export interface WorkerSettings {
  /** Threads for inbound mail, and as many for calls. */
  threads: number;
  /** DNS servers, `host:port`; empty: the system's. */
  resolvers: string[];
}

export interface WorkerNeeds {
  /** The fair scheduler of one group of threads, with so many slots. */
  workerQueue(group: string, places: number): FairQueue;
  /** Called for every first failure, also where the second attempt succeeds. */
  onError(error: unknown): void;
}

const INSTANCE: Occupant = { isExempt: true };

/** Documents that others publish: read in threads of their own, one at a time, and not again after a failure. */
const DOCUMENTS: ReadonlySet<Task['kind']> = new Set([
  ...(['read-document', 'read-text', 'read-sitemap', 'read-robots', 'attachment-text'] as const),
]);
const isDocument = ({ kind }: Task): boolean => DOCUMENTS.has(kind);

const isInbound = ({ kind }: Task): boolean => kind === 'verify' || kind === 'verify-header';

/** @param limits set by tests */
export const createWorkerPool = (
  settings: WorkerSettings,
  { workerQueue, onError }: WorkerNeeds,
  limits: WorkerLimits = WORKER_LIMITS,
): WorkerPool => {
  const { threads } = settings;
  const group = (name: string, max: number, isKept: boolean, own: Partial<WorkerLimits> = {}): Threads => {
    const bounds = { ...limits, ...own };
    const turns = workerQueue(name, max * bounds.tasksPerThread);
    return createThreads({ max, isKept, workerData: settings, turns, onError }, bounds);
  };
  // Sixteen of the largest mails would exceed a thread's heap limit, upon which V8 may end the whole process.
  const ofLarge = { tasksPerThread: limits.largeTasksPerThread, stallMs: limits.largeStallMs };
  const inbound = { small: group('mail', threads, true), large: group('large mail', 1, false, ofLarge) };
  const calls = { small: group('calls', threads, true), large: group('large calls', 1, false, ofLarge) };
  // Two threads, at most one for each owner: a mail that crashes its thread here delays no other network.
  const isolated = group('alone', 2, false, { tasksPerThread: 1, stallMs: limits.largeStallMs });
  const documents = group('documents', 2, false, { tasksPerThread: 1, stallMs: limits.largeStallMs });
  const suspicion = createSuspicion(systemClock);

  const threadsFor = (task: Task): Threads => {
    const { small, large } = isInbound(task) ? inbound : calls;
    return octetsOf(task) > limits.largeOctets ? large : small;
  };

  /** A task that crashes its thread fails the others in it, so the second attempt is isolated. */
  const runIsolated = async (task: Task, occupant: Occupant): Promise<unknown> => {
    const end = suspicion.begin(toOwnerKey(occupant));
    let hasCrashed = false;
    try {
      return await isolated.run(task, occupant);
    } catch (error) {
      // A trusted relay's network carries the mail of many senders: one crash does not mark it.
      hasCrashed = error instanceof ThreadDied && !occupant.isExempt;
      throw error;
    } finally {
      end(hasCrashed);
    }
  };

  let inProgress = 0;
  const run = async (task: Task, occupant: Occupant): Promise<unknown> => {
    // No mail waits for it: the store's commits need not.
    if (isDocument(task)) return documents.run(task, occupant);
    inProgress += 1;
    try {
      if (suspicion.isSuspect(toOwnerKey(occupant))) return await runIsolated(task, occupant);
      return await threadsFor(task)
        .run(task, occupant)
        .catch((error: unknown) => {
          if (error instanceof ApiError) throw error;
          onError(error);
          return runIsolated(task, occupant);
        });
    } finally {
      inProgress -= 1;
    }
  };
  const all = [inbound.small, inbound.large, calls.small, calls.large, isolated, documents];
  return {
    run: <K extends Task['kind']>(task: Extract<Task, { kind: K }>, occupant = INSTANCE) =>
      run(task, occupant) as Promise<Results[K]>,
    get waiting() {
      return inbound.small.waiting + inbound.large.waiting;
    },
    get busy() {
      return inProgress > 0;
    },
    close: async () => {
      await Promise.all(all.map((each) => each.close()));
    },
  };
};
