/**
 * A group of worker threads: Piscina, with a fair queue in front. Five times a second each busy thread is checked.
 * Piscina's abort ends a thread with a task over its time, with a stalled loop or with too much memory; its tasks fail
 * with ThreadDied.
 */

import { Piscina } from 'piscina';
import { type FairQueue, QueueRefused } from '../budget/fair-queue.ts';
import { type QuotaSubject, toTenant } from '../budget/quota-subject.ts';
import { type Millis, steadyClock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { codeOf } from '../kernel/text/message-of.ts';
import { createHeartbeats, findStall, HEARTBEAT_MS, type Heartbeats, hasStarted } from './heartbeats.ts';
import { resultOfAnswer, type WorkerAnswer } from './intake-refusal.ts';
import type { WorkerLimits } from './limits.ts';
import { findExcess } from './off-heap.ts';
import { PoolBusy } from './pool-busy.ts';
import { heldOctets, octetsOf } from './task-size.ts';
import type { Task } from './tasks.ts';
import { ThreadDied } from './thread-died.ts';

export interface ThreadsSettings {
  readonly max: number;
  /** Whether an idle thread stays; else it ends after a while. */
  readonly isKept: boolean;
  readonly workerData: object;
  /** The fair queue, with as many slots as the threads have together. */
  readonly turns: FairQueue;
  /** Receives the errors of threads that died between tasks. */
  readonly onError: (error: unknown) => void;
}

export interface Threads {
  /**
   * Rejects with PoolBusy where no thread took it, with ThreadDied where its thread was ended, else with the task's
   * error.
   */
  run(task: Task, quotaSubject: QuotaSubject): Promise<unknown>;
  readonly waiting: number;
  close(): Promise<void>;
}

/** A thread that is not kept ends after so long without a task. */
const IDLE_MS = 30_000;
/** The messages by which Piscina and Node report a thread's end. Piscina has no code for it. */
const isThreadsEnd = (error: unknown): error is Error =>
  error instanceof Error &&
  (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY' || /^worker exited with code/.test(error.message));

/** A task in a thread, or about to be given to one. */
interface Running {
  readonly task: Task;
  readonly quotaSubject: QuotaSubject;
  /** When its turn came; then, when Piscina gave it to a thread. */
  since: Millis;
  /** Null until then. */
  threadId: number | null;
  /** Ends the thread. */
  readonly abort: AbortController;
  /** The reason for which its thread was ended; null: it was not. */
  ending: string | null;
}

type LoadBalancer = NonNullable<NonNullable<ConstructorParameters<typeof Piscina>[0]>['loadBalancer']>;
type ThreadUsage = Parameters<LoadBalancer>[1][number];

/** Piscina's own balancer gives a thread one task at a time that can be aborted; here it has several. */
const createBalancer =
  (heartbeats: Heartbeats, tasksPerThread: number): LoadBalancer =>
  (task, workers) => {
    const usageOf = ({ currentUsage, isRunningAbortableTask }: ThreadUsage) =>
      isRunningAbortableTask ? 1 : currentUsage;
    const [worker] = workers
      .filter((each) => hasStarted(heartbeats, each.id) && usageOf(each) < tasksPerThread)
      .sort((one, other) => usageOf(one) - usageOf(other));
    if (!worker) return null;
    const { [Piscina.queueOptionsSymbol]: running } = task as unknown as Record<symbol, Running>;
    if (running) Object.assign(running, { threadId: worker.id, since: steadyClock.now() });
    return worker;
  };

export const createThreads = (settings: ThreadsSettings, limits: WorkerLimits): Threads => {
  const { max, isKept, workerData, turns, onError } = settings;
  const heartbeats = createHeartbeats();
  const pool = new Piscina<Task, WorkerAnswer>({
    filename: new URL('./entry.ts', import.meta.url).href,
    workerData: { ...workerData, heartbeats },
    // Started by the first task: a daemon that only receives has no threads for calls.
    minThreads: 0,
    recordTiming: false,
    maxThreads: max,
    idleTimeout: isKept ? Number.POSITIVE_INFINITY : IDLE_MS,
    concurrentTasksPerWorker: limits.tasksPerThread,
    loadBalancer: createBalancer(heartbeats, limits.tasksPerThread),
    // A thread that sleeps in Atomics.wait hears no DNS answer for the mail it has begun with.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 16 },
  });
  // A thread that dies between tasks; without a listener it would end the process.
  pool.on('error', onError);
  let isClosing = false;
  const running = new Set<Running>();
  let watching: NodeJS.Timeout | null = null;

  const tasksOf = (threadId: number | null): Running[] => [...running].filter((each) => each.threadId === threadId);

  /** Ends the thread of a task. @param why how long the thread stood still, or the task took, or what it held */
  const end = ({ abort, threadId }: Running, why: string): void => {
    const tasks = tasksOf(threadId);
    const told = tasks.map(
      ({ task, quotaSubject, since }) =>
        `${task.kind} of ${octetsOf(task)} octets by ${toTenant(quotaSubject)} for ${steadyClock.now() - since} ms`,
    );
    for (const each of tasks) each.ending = `${why}; in it: ${told.join(', ')}`;
    abort.abort();
  };

  const watch = (): void => {
    for (const each of running) {
      const forMs = steadyClock.now() - each.since;
      if (each.ending !== null || forMs < (each.threadId === null ? limits.startMs : limits.taskMs)) continue;
      if (each.threadId === null) each.abort.abort();
      else end(each, `a task took ${forMs} ms`);
    }
    for (const thread of pool.threads) {
      const endFor = (why: string): void => {
        const [first] = tasksOf(thread.threadId);
        if (first?.ending === null) end(first, why);
      };
      void findStall(heartbeats, thread, limits.stallMs).then((stalledMs) => {
        if (stalledMs !== null) endFor(`its loop stood still for ${stalledMs} ms`);
      });
      void findExcess(thread, limits.offHeapMb).then((heldMb) => {
        if (heldMb !== null) endFor(`it held ${heldMb} MB outside its heap`);
      });
    }
  };

  const perform = async (task: Task, quotaSubject: QuotaSubject): Promise<unknown> => {
    const abort = new AbortController();
    const own: Running = { task, quotaSubject, since: steadyClock.now(), threadId: null, abort, ending: null };
    running.add(own);
    watching ??= setInterval(watch, HEARTBEAT_MS).unref();
    try {
      const sent = { ...task, [Piscina.queueOptionsSymbol]: own };
      return resultOfAnswer(await pool.run(sent, { signal: abort.signal }));
    } catch (error) {
      // A refusal concerns the mail, not the threads.
      if (error instanceof ApiError) throw error;
      if (isClosing || own.threadId === null) throw new PoolBusy(error);
      if (own.ending === null && !isThreadsEnd(error)) throw error;
      throw new ThreadDied(own.ending ?? String(error), { cause: error });
    } finally {
      running.delete(own);
      if (running.size === 0 && watching) {
        clearInterval(watching);
        watching = null;
      }
    }
  };

  return {
    run: async (task, quotaSubject) => {
      try {
        return await turns.run(quotaSubject, () => perform(task, quotaSubject), heldOctets(task));
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
