/** The worker threads: mail is parsed, verified, composed and signed in them, so that the loop stays free. */

import { Piscina } from 'piscina';
import type { Results, Task } from './tasks.ts';

/** One mail may take this long; the thread is ended then and another started. */
const TASK_TIME_OUT_MS = 60_000;
/** A thread's heap. The largest mail that is taken needs about a quarter of it. */
const MAX_HEAP_MB = 512;
/** Tasks that may wait; one more is refused, and who asked says so to its client. */
const MAX_WAITING = 1_000;

export interface WorkerPool {
  run<K extends Task['kind']>(task: Extract<Task, { kind: K }>): Promise<Results[K]>;
  /** Tasks waiting for a thread. */
  readonly waiting: number;
  close(): Promise<void>;
}

export interface WorkerSettings {
  threads: number;
  /** DNS servers, `host:port`; none: the system's. */
  resolvers: string[];
}

export const createWorkerPool = (settings: WorkerSettings): WorkerPool => {
  const pool = new Piscina<Task, unknown>({
    filename: new URL('./entry.ts', import.meta.url).href,
    workerData: settings,
    minThreads: settings.threads,
    maxThreads: settings.threads,
    maxQueue: MAX_WAITING,
    // A thread that waits for DNS does other mail meanwhile.
    concurrentTasksPerWorker: 16,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  return {
    run: <K extends Task['kind']>(task: Extract<Task, { kind: K }>) =>
      pool.run(task, { signal: AbortSignal.timeout(TASK_TIME_OUT_MS) }) as Promise<Results[K]>,
    get waiting() {
      return pool.queueSize;
    },
    close: () => pool.close({ force: true }),
  };
};
