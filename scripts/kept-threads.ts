/**
 * Threads of Piscina that a test's process keeps: an instance that stops leaves them to the next one. To start one, with the
 * libraries that it loads, costs more than what most tests have it do. Each runs the built server's file, as one that is
 * installed does, and evaluates it anew for each instance (kept-thread.ts). One with a task in flight is ended for good.
 */

import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import workerThreads, { type Worker, type WorkerOptions } from 'node:worker_threads';

export interface Start {
  /** What the thread is to run: `scripts/build-server.ts` makes a file of each. */
  readonly built: string;
  readonly workerData: unknown;
  /** Piscina's own first message. */
  readonly message: Startup;
}

interface Startup {
  filename: string;
  sharedBuffer: Int32Array;
  atomics?: string;
}

/** Ends what the instance has left, and is answered by the same word. */
export const RELEASE = 'release';

const BUILT = join(import.meta.dirname, '../build/server');
const WORKER = /\.worker\.ts$/;
const toBuilt = (source: string): string =>
  source.endsWith('.ts') ? join(BUILT, `${basename(source, '.ts')}.js`) : source;
const THREAD = join(import.meta.dirname, 'kept-thread.ts');
const PISCINA = createRequire(import.meta.url)
  .resolve('piscina')
  .replace(/[\w.-]+$/, 'worker.js');
/** Of Piscina's counts in shared memory: tasks that were sent, and answers. */
const [SENT, ANSWERED] = [0, 1];

const RealWorker = workerThreads.Worker;
/** Those without an instance, by what they run and may use. */
const idle = new Map<string, Worker[]>();

/** What Piscina uses of a Worker. */
class KeptWorker extends EventEmitter {
  readonly #options: WorkerOptions;
  readonly #keeps: boolean;
  #key = '';
  #thread: Worker | null = null;
  #counts: Int32Array | null = null;

  constructor(options: WorkerOptions, keeps: boolean) {
    super();
    this.#options = options;
    this.#keeps = keeps;
  }

  get threadId(): number {
    return this.#thread?.threadId ?? -1;
  }

  get resourceLimits() {
    return this.#thread?.resourceLimits;
  }

  cpuUsage() {
    return this.#thread?.cpuUsage();
  }

  getHeapStatistics() {
    return this.#thread?.getHeapStatistics();
  }

  ref(): void {
    this.#thread?.ref();
  }

  unref(): void {
    this.#thread?.unref();
  }

  /** Takes Piscina's first message, which names the file. */
  postMessage(message: Startup, transferred: []): void {
    const { workerData, ...options } = this.#options;
    const built = toBuilt(message.filename);
    this.#key = JSON.stringify([built, options.resourceLimits]);
    this.#counts = message.sharedBuffer;
    const thread = idle.get(this.#key)?.pop() ?? new RealWorker(THREAD, options);
    this.#thread = thread;
    thread.removeAllListeners();
    for (const event of ['message', 'error', 'exit']) thread.on(event, (...told) => this.emit(event, ...told));
    // One that waits in Atomics.wait hears of no release.
    thread.postMessage(
      { built, workerData, message: { ...message, atomics: 'disabled' } } satisfies Start,
      transferred,
    );
  }

  terminate(): void {
    const thread = this.#thread;
    if (thread === null) return;
    this.#thread = null;
    // Its end is waited for.
    thread.ref();
    const counts = this.#counts ?? new Int32Array(2);
    if (!this.#keeps || Atomics.load(counts, SENT) !== Atomics.load(counts, ANSWERED)) {
      void thread.terminate();
      return;
    }
    thread.removeAllListeners().on('message', (told) => {
      if (told !== RELEASE) return;
      thread.unref();
      idle.set(this.#key, [...(idle.get(this.#key) ?? []), thread]);
      this.emit('exit', 1);
    });
    thread.postMessage(RELEASE);
  }
}

/** @param keeps false where each thread is to be new and ends with its instance */
export const keepThreads = (keeps: boolean): void => {
  workerThreads.Worker = new Proxy(RealWorker, {
    construct: (real, [file, options]: ConstructorParameters<typeof Worker>) => {
      if (file === PISCINA) return new KeptWorker(options ?? {}, keeps);
      return new real(WORKER.test(`${file}`) ? toBuilt(`${file}`) : file, options);
    },
  });
};
