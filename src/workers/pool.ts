/** The worker threads: mail is parsed, verified, composed and signed in them, so that the loop stays free. */

import { ApiError } from '../kernel/errors.ts';
import { WORKER_LIMITS, type WorkerLimits } from './limits.ts';
import { octetsOf } from './task-size.ts';
import type { Results, Task } from './tasks.ts';
import { createThreads, type Threads } from './threads.ts';

export interface WorkerPool {
  /**
   * Rejects with PoolBusy where the threads have no room for the task, which says nothing about it, and with another
   * ApiError where the task refuses what it is given. With anything else it failed twice: among others, and on a thread of
   * its own.
   */
  run<K extends Task['kind']>(task: Extract<Task, { kind: K }>): Promise<Results[K]>;
  /** Tasks waiting for a thread. */
  readonly waiting: number;
  /** Whether any task is under way, whose result its asker is about to act on. */
  readonly busy: boolean;
  close(): Promise<void>;
}

export interface WorkerSettings {
  threads: number;
  /** DNS servers, `host:port`; none: the system's. */
  resolvers: string[];
}

/**
 * @param onError told of every failure that a second attempt may have hidden
 * @param limits handed in by tests
 */
export const createWorkerPool = (
  settings: WorkerSettings,
  onError: (error: unknown) => void,
  limits: WorkerLimits = WORKER_LIMITS,
): WorkerPool => {
  const { threads } = settings;
  const shared = createThreads({ min: threads, max: threads, workerData: settings, onError }, limits);
  // A mail that breaks its thread breaks the others in it: the second time it is alone, and they are without it.
  const alone = createThreads({ min: 0, max: 1, workerData: settings, onError }, { ...limits, tasksPerThread: 1 });
  // Sixteen of the largest at once would fill a thread's heap, and V8 may end the whole process over that.
  const large = createThreads(
    { min: 0, max: 1, workerData: settings, onError },
    { ...limits, tasksPerThread: limits.largeTasksPerThread },
  );
  const threadsFor = (task: Task): Threads => (octetsOf(task) > limits.largeOctets ? large : shared);

  let underWay = 0;
  const run = async (task: Task): Promise<unknown> => {
    underWay += 1;
    try {
      return await threadsFor(task).run(task);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      onError(error);
      return await alone.run(task);
    } finally {
      underWay -= 1;
    }
  };
  return {
    run: <K extends Task['kind']>(task: Extract<Task, { kind: K }>) => run(task) as Promise<Results[K]>,
    get waiting() {
      return shared.waiting + large.waiting;
    },
    get busy() {
      return underWay > 0;
    },
    close: async () => {
      await Promise.all([shared.close(), large.close(), alone.close()]);
    },
  };
};
