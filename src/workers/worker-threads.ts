/**
 * A group of threads: Piscina, with turns in front and clocks beside it. A task that outlasts its time ends with its thread,
 * and so does a thread whose loop stands still. Nothing waits in a thread's own queue, so nothing is lost with a thread but
 * what it had begun with.
 */

import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { type FairQueue, QueueRefused } from '../budget/fair-queue.ts';
import { type Occupant, toOwnerKey } from '../budget/occupant.ts';
import type { Millis } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { resultOfAnswer, type WorkerAnswer } from './intake-refusal.ts';
import type { WorkerLimits } from './limits.ts';
import { PoolBusy } from './pool-busy.ts';
import { octetsOf } from './task-size.ts';
import { createTaskWatch, giveUpTask, progressOf, type TaskWatch } from './task-watch.ts';
import type { Task } from './tasks.ts';
import { createBeats, isStalled, silentFor } from './thread-beats.ts';
import { ThreadDied } from './thread-died.ts';

export interface ThreadsSettings {
  readonly max: number;
  /** Whether a thread that has started stays, or ends when it has had nothing to do for a while. */
  readonly isKept: boolean;
  readonly workerData: object;
  /** Has as many places as the threads together. */
  readonly turns: FairQueue;
  /** Told of threads that died between tasks. */
  readonly onError: (error: unknown) => void;
}

/** What a worker thread is sent. */
export interface WatchedTask {
  task: Task;
  watch: TaskWatch;
}

export interface Threads {
  /** Rejects with PoolBusy where no thread took it, ThreadDied where its thread ended under it, else as the task failed. */
  run(task: Task, occupant: Occupant): Promise<unknown>;
  readonly waiting: number;
  close(): Promise<void>;
}

/** A thread that is not kept ends after so long without a task. */
const IDLE_MS = 30_000;
/** How soon a thread that stands still, but has not worked so long, is looked at again. */
const STALL_LOOK_MS = 200;
/** How long the reason for a thread's end is at hand for its tasks. */
const ENDINGS_KEPT_MS = 10_000;
/** How Piscina and Node say that a thread ended. Piscina has no code for it. */
const isThreadsEnd = (error: unknown): error is Error =>
  error instanceof Error &&
  (('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') || /^worker exited with code/.test(error.message));

export const createThreads = (settings: ThreadsSettings, limits: WorkerLimits): Threads => {
  const { max, isKept, workerData, turns, onError } = settings;
  const beats = createBeats();
  const pool = new Piscina<WatchedTask, WorkerAnswer>({
    filename: new URL('./entry.ts', import.meta.url).href,
    workerData: { ...workerData, beats },
    // Started by the first task: a daemon that only receives has no threads for calls.
    minThreads: 0,
    recordTiming: false,
    maxThreads: max,
    idleTimeout: isKept ? Number.POSITIVE_INFINITY : IDLE_MS,
    concurrentTasksPerWorker: limits.tasksPerThread,
    // A thread that sleeps in Atomics.wait hears no DNS answer for the mail it has begun with.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 16 },
  });
  // A thread that dies between tasks; without a listener it would take the process along.
  pool.on('error', onError);
  let isClosing = false;
  const running = new Map<TaskWatch, { task: Task; occupant: Occupant }>();
  /** Why a thread was ended, for as long as its tasks have not heard of it. */
  const endings = new Map<number, string>();

  /** @param why how long the thread stood still, or a task of it took */
  const end = (thread: Worker, why: string, now: Millis): void => {
    const tasks = [...running].flatMap(([watch, { task, occupant }]) => {
      const progress = progressOf(watch, now);
      return progress?.threadId === thread.threadId
        ? [`${task.kind} of ${octetsOf(task)} octets by ${toOwnerKey(occupant)} for ${progress.forMs} ms`]
        : [];
    });
    endings.set(thread.threadId, `${why}; in it: ${tasks.join(', ')}`);
    thread.once('exit', () => setTimeout(() => endings.delete(thread.threadId), ENDINGS_KEPT_MS).unref());
    void thread.terminate();
  };

  const findThread = (threadId: number) => pool.threads.find((thread) => thread.threadId === threadId);

  /** Looks after a task until it is over: `giveUp` where no thread begins with it, the thread's end where it takes too long. */
  const look = (watch: TaskWatch, giveUp: () => void): (() => void) => {
    const asked = Date.now();
    const soon = Math.min(limits.taskMs, limits.stallMs);
    let timer: NodeJS.Timeout;
    let isOver = false;
    const lookAgainIn = (ms: number): void => {
      timer = setTimeout(check, Math.max(ms, 1));
    };
    const check = (): void => {
      const now = Date.now();
      const progress = progressOf(watch, now);
      if (progress) lookAtThread(progress.threadId, progress.forMs, now);
      else if (now - asked < limits.startMs) lookAgainIn(Math.min(soon, limits.startMs - (now - asked)));
      else if (giveUpTask(watch)) giveUp();
      else check();
    };
    const lookAtThread = (threadId: number, forMs: Millis, now: Millis): void => {
      const thread = findThread(threadId);
      const silentMs = silentFor(beats, threadId, now);
      // One that has ended takes its tasks along.
      if (!thread) return;
      if (forMs >= limits.taskMs) end(thread, `a task took ${forMs} ms`, now);
      else if (silentMs < limits.stallMs) lookAgainIn(Math.min(limits.taskMs - forMs, limits.stallMs - silentMs));
      else void lookAtStall(thread);
    };
    const lookAtStall = async (thread: Worker): Promise<void> => {
      const stalled = await isStalled(beats, thread, limits.stallMs);
      if (isOver) return;
      const now = Date.now();
      if (stalled) end(thread, `its loop stood still for ${silentFor(beats, thread.threadId, now)} ms`, now);
      else lookAgainIn(STALL_LOOK_MS);
    };
    lookAgainIn(soon);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  };

  const perform = async (task: Task, occupant: Occupant): Promise<unknown> => {
    const watch = createTaskWatch();
    running.set(watch, { task, occupant });
    const { promise: givenUp, reject } = Promise.withResolvers<never>();
    const stop = look(watch, () => reject(new PoolBusy(new Error('No thread took the task in time'))));
    try {
      return resultOfAnswer(await Promise.race([pool.run({ task, watch }), givenUp]));
    } catch (error) {
      // A refusal of the task is about the mail, and not about the threads.
      if (error instanceof ApiError) throw error;
      if (isClosing) throw new PoolBusy(error);
      if (!isThreadsEnd(error)) throw error;
      const threadId = progressOf(watch, Date.now())?.threadId ?? 0;
      throw new ThreadDied(endings.get(threadId) ?? error.message, { cause: error });
    } finally {
      running.delete(watch);
      stop();
    }
  };

  return {
    run: async (task, occupant) => {
      try {
        return await turns.run(occupant, () => perform(task, occupant));
      } catch (error) {
        throw error instanceof QueueRefused ? new PoolBusy(error) : error;
      }
    },
    get waiting() {
      return turns.waiting;
    },
    close: () => {
      isClosing = true;
      turns.close();
      return pool.close({ force: true });
    },
  };
};
