/**
 * The worker threads: mail is parsed, verified, composed and signed in them, so that the loop stays free. Mail that comes
 * in and what callers ask for have threads of their own, and each group takes turns by network and workspace.
 */

import { type Occupant, ownerOf } from '../budget/occupant.ts';
import type { Turns } from '../budget/turns.ts';
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
   * @param occupant for whom; left out, for the box itself
   * @throws PoolBusy where the threads have no room for the task, which says nothing about it; another ApiError where the
   *   task refuses what it is given. With anything else it failed twice: among others, and on a thread of its own
   */
  run<K extends Task['kind']>(task: Extract<Task, { kind: K }>, occupant?: Occupant): Promise<Results[K]>;
  /** Mails waiting for a thread. */
  readonly waiting: number;
  /** Whether any task is under way, whose result its asker is about to act on. */
  readonly busy: boolean;
  close(): Promise<void>;
}

export interface WorkerSettings {
  /** Threads for mail that comes in, and as many for what callers ask for. */
  threads: number;
  /** DNS servers, `host:port`; none: the system's. */
  resolvers: string[];
}

export interface WorkerNeeds {
  /** The turns of one group of threads, which has so many places. */
  workerTurns(group: string, places: number): Turns;
  /** Told of every failure that a second attempt may have hidden. */
  onError(error: unknown): void;
}

const BOX: Occupant = { isExempt: true };

const isIncoming = ({ kind }: Task): boolean => kind === 'verify' || kind === 'verify-header';

/** @param limits handed in by tests */
export const createWorkerPool = (
  settings: WorkerSettings,
  { workerTurns, onError }: WorkerNeeds,
  limits: WorkerLimits = WORKER_LIMITS,
): WorkerPool => {
  const { threads } = settings;
  const group = (name: string, min: number, max: number, own: Partial<WorkerLimits> = {}): Threads => {
    const bounds = { ...limits, ...own };
    const turns = workerTurns(name, max * bounds.tasksPerThread);
    return createThreads({ min, max, workerData: settings, turns, onError }, bounds);
  };
  // Sixteen of the largest at once would fill a thread's heap, and V8 may end the whole process over that.
  const ofLarge = { tasksPerThread: limits.largeTasksPerThread, stallMs: limits.largeStallMs };
  const incoming = { small: group('mail', threads, threads), large: group('large mail', 0, 1, ofLarge) };
  const calls = { small: group('calls', threads, threads), large: group('large calls', 0, 1, ofLarge) };
  // Two threads, of which one owner has one: a mail that breaks its thread here holds up no other network.
  const alone = group('alone', 0, 2, { tasksPerThread: 1, stallMs: limits.largeStallMs });
  const suspicion = createSuspicion(systemClock);

  const threadsFor = (task: Task): Threads => {
    const { small, large } = isIncoming(task) ? incoming : calls;
    return octetsOf(task) > limits.largeOctets ? large : small;
  };

  /** A task that breaks its thread breaks the others in it. Here it is alone, and they are without it. */
  const runAlone = async (task: Task, occupant: Occupant): Promise<unknown> => {
    const end = suspicion.begin(ownerOf(occupant));
    let hasBroken = false;
    try {
      return await alone.run(task, occupant);
    } catch (error) {
      // A trusted relay's network stands for all who send through it: its other mail is not held against it.
      hasBroken = error instanceof ThreadDied && !occupant.isExempt;
      throw error;
    } finally {
      end(hasBroken);
    }
  };

  let underWay = 0;
  const run = async (task: Task, occupant: Occupant): Promise<unknown> => {
    underWay += 1;
    try {
      if (suspicion.isSuspect(ownerOf(occupant))) return await runAlone(task, occupant);
      return await threadsFor(task)
        .run(task, occupant)
        .catch((error: unknown) => {
          if (error instanceof ApiError) throw error;
          onError(error);
          return runAlone(task, occupant);
        });
    } finally {
      underWay -= 1;
    }
  };
  const all = [incoming.small, incoming.large, calls.small, calls.large, alone];
  return {
    run: <K extends Task['kind']>(task: Extract<Task, { kind: K }>, occupant = BOX) =>
      run(task, occupant) as Promise<Results[K]>,
    get waiting() {
      return incoming.small.waiting + incoming.large.waiting;
    },
    get busy() {
      return underWay > 0;
    },
    close: async () => {
      await Promise.all(all.map((each) => each.close()));
    },
  };
};
