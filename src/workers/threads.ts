/** Piscina with a clock beside it: a task that outlasts its time ends with its thread, whatever the thread is doing. */

import { Piscina } from 'piscina';
import { ApiError } from '../kernel/errors.ts';
import type { WorkerLimits } from './limits.ts';
import { PoolBusy } from './pool-busy.ts';
import { resultOfAnswer, type WorkerAnswer } from './refusal.ts';
import { createTaskWatch, giveUpTask, progressOf, type TaskWatch } from './task-watch.ts';
import type { Task } from './tasks.ts';

export interface ThreadsSettings {
  readonly min: number;
  readonly max: number;
  readonly workerData: unknown;
  /** Told of threads that died; whose tasks were lost hears of it by them. */
  readonly onError: (error: unknown) => void;
}

/** What a worker thread is sent. */
export interface WatchedTask {
  task: Task;
  watch: TaskWatch;
}

export interface Threads {
  /** Rejects with PoolBusy where no thread took it; with anything else where the task failed, or its thread under it. */
  run(task: Task): Promise<unknown>;
  readonly waiting: number;
  close(): Promise<void>;
}

/** A thread that has nothing to do for so long is not needed beyond the least number. */
const IDLE_MS = 30_000;
/** What Piscina says where its queue is full. It has no code for it. */
const QUEUE_FULL = /^Task queue is at limit|^No task queue available/;

export const createThreads = ({ min, max, workerData, onError }: ThreadsSettings, limits: WorkerLimits): Threads => {
  const pool = new Piscina<WatchedTask, WorkerAnswer>({
    filename: new URL('./entry.ts', import.meta.url).href,
    workerData,
    minThreads: min,
    maxThreads: max,
    idleTimeout: IDLE_MS,
    maxQueue: limits.waiting,
    concurrentTasksPerWorker: limits.tasksPerThread,
    // A thread that sleeps in Atomics.wait hears no DNS answer for the mail it has begun with.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 16 },
  });
  // A thread that dies between tasks; without a listener it would take the process along.
  pool.on('error', onError);
  let isClosing = false;

  const endThread = (threadId: number): void => {
    pool.threads.find((thread) => thread.threadId === threadId)?.terminate();
  };

  /** Looks after a task until it is over: `giveUp` where no thread takes it, the thread's end where it takes too long. */
  const look = (watch: TaskWatch, giveUp: () => void): (() => void) => {
    const asked = Date.now();
    let timer: NodeJS.Timeout;
    const lookAgainIn = (ms: number): void => {
      timer = setTimeout(check, Math.max(ms, 1));
    };
    const check = (): void => {
      const now = Date.now();
      const progress = progressOf(watch, now);
      if (progress && progress.forMs >= limits.taskMs) endThread(progress.threadId);
      else if (progress) lookAgainIn(limits.taskMs - progress.forMs);
      else if (now - asked < limits.waitMs) lookAgainIn(Math.min(limits.taskMs, limits.waitMs - (now - asked)));
      else if (giveUpTask(watch)) giveUp();
      else check();
    };
    check();
    return () => clearTimeout(timer);
  };

  return {
    run: async (task) => {
      const watch = createTaskWatch();
      const { promise: givenUp, reject } = Promise.withResolvers<never>();
      const stop = look(watch, () => reject(new PoolBusy(new Error('No thread took the task in time'))));
      try {
        return resultOfAnswer(await Promise.race([pool.run({ task, watch }), givenUp]));
      } catch (error) {
        // A refusal of the task is about the mail, and not about the threads.
        if (error instanceof ApiError) throw error;
        const isPools = isClosing || (error instanceof Error && QUEUE_FULL.test(error.message));
        throw isPools ? new PoolBusy(error) : error;
      } finally {
        stop();
      }
    },
    get waiting() {
      return pool.queueSize;
    },
    close: () => {
      isClosing = true;
      return pool.close({ force: true });
    },
  };
};
