/** Indexes new texts in batches in a thread of its own, soon after their commit: no mail waits for the index. */

import type { Millis } from '../../kernel/clock.ts';
import { createThreadPool } from './thread-pool.ts';

export interface IndexJob {
  /** Whether a search has found the index damaged. */
  readonly isDamaged: boolean;
}

export interface IndexedBatch {
  /** Numbers that the index no longer has: they need not be remembered. Left out: the engine remembers none. */
  readonly removed?: readonly number[];
  /** Whether texts are left for a next batch. */
  readonly isMore: boolean;
}

/** A batch begins after it, or once as many texts wait as make it cheap. */
const DELAY_MS: Millis = 1_000;
const TEXTS_WORTH_A_BATCH = 256;
/** After a failure, as on a full disk. */
const RETRY_MS: Millis = 30_000;
/** The thread ends after it without a batch. */
const IDLE_MS: Millis = 10_000;

export interface Indexer {
  /** Called after the commit of a text that was added or removed. */
  textChanged(): void;
  /** Looks for texts that another process left unindexed. */
  catchUp(): void;
  /** Has the index made again. */
  foundDamaged(): void;
  close(): Promise<void>;
}

export interface IndexerNeeds {
  /** The engine's file for the thread, and its data: each call makes one batch. */
  readonly worker: URL;
  readonly workerData: unknown;
  /** Told of numbers of removed texts that the index no longer has. */
  readonly forgetRemoved?: (seqs: readonly number[]) => Promise<void>;
  readonly onFault: (error: unknown) => void;
}

export const createIndexer = ({ worker, workerData, forgetRemoved, onFault }: IndexerNeeds): Indexer => {
  const pool = createThreadPool<IndexJob>(worker, workerData, { most: 1, idleMs: IDLE_MS });
  let timer: NodeJS.Timeout | null = null;
  let waiting = 0;
  let isDamaged = false;
  let running: Promise<void> | null = null;
  let isClosed = false;

  const runBatches = async (): Promise<void> => {
    let isMore = true;
    while (isMore && !isClosed) {
      waiting = 0;
      const job = { isDamaged };
      isDamaged = false;
      const { removed = [], ...batch } = await pool.run<IndexedBatch>(job);
      isMore = batch.isMore;
      if (removed.length > 1 && !isClosed) await forgetRemoved?.(removed);
    }
  };

  const run = (): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (running || isClosed) return;
    running = runBatches().then(
      () => {
        running = null;
        if (waiting > 0 || isDamaged) schedule(waiting < TEXTS_WORTH_A_BATCH ? DELAY_MS : 0);
      },
      (error: unknown) => {
        running = null;
        if (isClosed) return;
        onFault(error);
        schedule(RETRY_MS);
      },
    );
  };

  const schedule = (ms: Millis): void => {
    if (!isClosed) timer ??= setTimeout(run, ms).unref();
  };

  return {
    textChanged: () => {
      waiting += 1;
      if (waiting < TEXTS_WORTH_A_BATCH) schedule(DELAY_MS);
      else if (waiting === TEXTS_WORTH_A_BATCH) run();
    },
    catchUp: () => schedule(DELAY_MS),
    foundDamaged: () => {
      isDamaged = true;
      schedule(0);
    },
    close: async () => {
      isClosed = true;
      if (timer) clearTimeout(timer);
      // A thread that is ended while it loads SQLite ends the process: its batch is awaited.
      await running;
      await pool.close();
    },
  };
};
