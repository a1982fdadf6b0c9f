/** Runs work when it is woken or due: one run at a time, and one more for what arrived during it. */

import type { Millis } from './clock.ts';

export interface WakeLoop {
  /** Allows runs, and makes the first one. */
  start(): void;
  /** Makes a run now, or after the one that is running. Resolves once it has ended; at once while stopped. Never rejects. */
  run(): Promise<void>;
  /** Makes a run in `ms` at the latest. */
  runWithin(ms: Millis): void;
  /** Makes no more runs; resolves once none is running. */
  stop(): Promise<void>;
}

/** A background service that a wake loop runs. */
export interface BackgroundWork {
  start(): void;
  /** Checks now whether there is work. */
  wake(): void;
  /** Ends the work in progress; it continues at the next start. */
  stop(): Promise<void>;
}

export interface StoppableWork extends BackgroundWork {
  /** Aborts at a stop; another one after the next start. */
  readonly stopping: AbortSignal;
  /** As of the loop. */
  run(): Promise<void>;
}

/**
 * @param work resolves with the pause before the next run; null: none until it is woken
 * @param onError receives the error of a run, and returns the pause before the next
 */
export const createWakeLoop = (
  work: () => Promise<Millis | null>,
  onError: (error: unknown) => Millis | null,
): WakeLoop => {
  let isStopped = true;
  let isWanted = false;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;

  const runWithin = (ms: Millis): void => {
    const at = performance.now() + ms;
    if (isStopped || at >= dueAt) return;
    dueAt = at;
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };

  const runWhileWanted = async (): Promise<void> => {
    while (isWanted && !isStopped) {
      isWanted = false;
      clearTimeout(timer);
      dueAt = Number.POSITIVE_INFINITY;
      const pause = await work().catch(onError);
      if (pause !== null) runWithin(pause);
    }
    running = null;
  };

  const run = (): Promise<void> => {
    isWanted = true;
    if (isStopped) return Promise.resolve();
    running ??= runWhileWanted();
    return running;
  };

  return {
    start: () => {
      isStopped = false;
      void run();
    },
    run,
    runWithin,
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};

/** Work by a wake loop that a stop cuts short; parameters as of `createWakeLoop`. */
export const createStoppableWork = (
  work: () => Promise<Millis | null>,
  onError: (error: unknown) => Millis | null,
): StoppableWork => {
  const loop = createWakeLoop(work, onError);
  let stopping = new AbortController();
  return {
    get stopping() {
      return stopping.signal;
    },
    start: () => {
      stopping = new AbortController();
      loop.start();
    },
    wake: () => void loop.run(),
    run: loop.run,
    stop: async () => {
      stopping.abort();
      await loop.stop();
    },
  };
};
