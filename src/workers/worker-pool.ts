/**
 * The worker pool: mail is parsed, verified, composed and signed in threads, off the event loop. Inbound mail and calls have
 * a group of threads each; large tasks, documents and suspect tasks have a third one, with a thread for each task. Each
 * group is scheduled fairly by network and workspace.
 *
 * A hostile mail ends its own task alone: its thread is ended (worker-threads.ts), and what shared the thread runs again
 * apart. Until that is over, and for a while after a task that ended its thread apart too, all tasks of the same network or
 * workspace run apart (quarantine.ts).
 */

import type { WorkerGroup } from '../budget/budget.ts';
import type { FairQueue } from '../budget/fair-queue.ts';
import { machineMemory } from '../budget/machine-memory.ts';
import { type QuotaSubject, toTenant } from '../budget/quota-subject.ts';
import { steadyClock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { WORKER_LIMITS, type WorkerLimits } from './limits.ts';
import { createQuarantine } from './quarantine.ts';
import { octetsOf } from './task-size.ts';
import type { Input, Kind, Result, Task } from './tasks.ts';
import { ThreadDied } from './thread-died.ts';
import { createThreads, type Threads } from './worker-threads.ts';

export interface WorkerPool {
  /**
   * @param quotaSubject the quota subject; left out: the instance itself
   * @throws PoolBusy where the pool is full and the task was not tried; another ApiError where the task refused its
   * input. Any other error: the task failed twice, the second time apart
   */
  run<K extends Kind>(task: { kind: K } & Input<K>, quotaSubject?: QuotaSubject): Promise<Result<K>>;
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
  workerQueue(group: WorkerGroup, slots: number): FairQueue;
  /** Called for every first failure, also where the second attempt succeeds. */
  onError(error: unknown): void;
}

/** A task on the largest mail takes some 150 MB beside the mail itself. */
const MEMORY_OF_THREAD = 512 * 1024 * 1024;
/** Half of them at most for one network or workspace, so two at least. */
const THREADS_APART = Math.min(Math.max(Math.round(machineMemory() / MEMORY_OF_THREAD), 2), 4);

const INSTANCE: QuotaSubject = { isExempt: true };

/** Documents that others publish: not read again after a failure. */
const DOCUMENTS: ReadonlySet<Kind> = new Set([
  ...(['read-document', 'read-text', 'read-sitemap', 'read-robots', 'attachment-text', 'attachment-preview'] as const),
]);
const isDocument = ({ kind }: Task): boolean => DOCUMENTS.has(kind);

/** @param limits set by tests */
export const createWorkerPool = (
  settings: WorkerSettings,
  { workerQueue, onError }: WorkerNeeds,
  limits: WorkerLimits = WORKER_LIMITS,
): WorkerPool => {
  const { threads } = settings;
  const group = (name: WorkerGroup, max: number, isKept: boolean, own: Partial<WorkerLimits> = {}): Threads => {
    const bounds = { ...limits, ...own };
    const turns = workerQueue(name, max * bounds.tasksPerThread);
    return createThreads({ max, isKept, workerData: settings, turns, onError }, bounds);
  };
  const mail = group('mail', threads, true);
  const calls = group('calls', threads, true);
  const apart = group('apart', THREADS_APART, false, { tasksPerThread: 1, stallMs: limits.largeStallMs });
  const quarantine = createQuarantine(steadyClock);

  /** Runs a suspect task: the first attempt failed, or its tenant is in quarantine. */
  const runApart = async (task: Task, quotaSubject: QuotaSubject): Promise<unknown> => {
    const end = quarantine.begin(toTenant(quotaSubject));
    let hasCrashed = false;
    try {
      return await apart.run(task, quotaSubject);
    } catch (error) {
      // A trusted relay carries the mail of many senders: one crash does not quarantine it.
      hasCrashed = error instanceof ThreadDied && !quotaSubject.isExempt;
      throw error;
    } finally {
      end(hasCrashed);
    }
  };

  let inProgress = 0;
  const run = async (task: Task, quotaSubject: QuotaSubject): Promise<unknown> => {
    // No mail waits for a document, so commits do not wait for it either.
    if (isDocument(task)) return apart.run(task, quotaSubject);
    inProgress += 1;
    try {
      if (quarantine.isQuarantined(toTenant(quotaSubject))) return await runApart(task, quotaSubject);
      const threads = octetsOf(task) > limits.largeOctets ? apart : task.kind === 'verify' ? mail : calls;
      return await threads.run(task, quotaSubject).catch((error: unknown) => {
        if (error instanceof ApiError) throw error;
        onError(error);
        return runApart(task, quotaSubject);
      });
    } finally {
      inProgress -= 1;
    }
  };
  return {
    run: <K extends Kind>(task: { kind: K } & Input<K>, quotaSubject = INSTANCE) =>
      run(task as unknown as Task, quotaSubject) as Promise<Result<K>>,
    get waiting() {
      return mail.waiting;
    },
    get busy() {
      return inProgress > 0;
    },
    close: async () => {
      await Promise.all([mail, calls, apart].map((each) => each.close()));
    },
  };
};
