/** Indexes queued sources: a bounded number at once, few of each workspace, and those interrupted by a stop. */

import { QueueRefused } from '../budget/fair-queue.ts';
import { type Millis, SECOND } from '../kernel/clock.ts';
import type { WorkspaceId } from '../kernel/ids.ts';
import { type BackgroundWork, createStoppableWork } from '../kernel/wake-loop.ts';
import type { SendGuarded } from '../net/http/guarded-client.ts';
import { deleteSomeOfSource } from '../store/knowledge/removal.ts';
import { findSourceBySeq, listDueSources, listRemovedSources } from '../store/knowledge/sources.ts';
import { PoolBusy } from '../workers/pool-busy.ts';
import { createHostRate } from './crawl/host-rate.ts';
import type { IndexNeeds } from './crawl/index-url.ts';
import { failSource, indexSource } from './index-source.ts';
import { type KnowledgeLimits, MAX_CRAWLS, MAX_CRAWLS_OF_WORKSPACE } from './knowledge-limits.ts';
import { SourceChanged } from './store-page.ts';

export interface IndexerNeeds extends Omit<IndexNeeds, 'fetching'> {
  request: SendGuarded;
  userAgent: string;
  limits: KnowledgeLimits;
  onError: (error: unknown) => void;
}

export interface Indexer extends BackgroundWork {
  /** Deletes the rest of removed sources, a bounded part in one call. */
  purge(): Promise<void>;
}

/** Another process may have queued one. */
const POLL_MS: Millis = 5 * SECOND;
/** Pause before a source is retried after no worker was free. */
const BUSY_MS: Millis = 10 * SECOND;
const MAX_DUE = 2_000;
/** For removed sources: rows of one transaction, transactions of one call. */
const ROWS_AT_ONCE = 50;
const MAX_STEPS = 400;

export const createIndexer = ({ request, userAgent, limits, onError, ...needs }: IndexerNeeds): Indexer => {
  const { store } = needs;
  const rate = createHostRate();
  const running = new Map<number, { workspaceId: WorkspaceId; end: Promise<void> }>();
  const pausedUntil = new Map<number, number>();

  const run = async (seq: number): Promise<void> => {
    const source = await findSourceBySeq(store.read, seq);
    if (source?.queuedAt == null) return;
    const signal = background.stopping;
    const fetching = { request, rate, limits, userAgent, signal, clock: needs.clock };
    try {
      await indexSource({ ...needs, fetching }, source);
    } catch (error) {
      if (signal.aborted || error instanceof SourceChanged) return;
      if (error instanceof PoolBusy || error instanceof QueueRefused) {
        pausedUntil.set(seq, performance.now() + BUSY_MS);
        return;
      }
      onError(error);
      await failSource(needs, source);
    }
  };

  const begin = (seq: number, workspaceId: WorkspaceId): void => {
    const end = run(seq)
      .catch((error: unknown) => {
        if (!(error instanceof SourceChanged)) onError(error);
      })
      .finally(() => {
        running.delete(seq);
        background.wake();
      });
    running.set(seq, { workspaceId, end });
  };

  const isPaused = (seq: number): boolean => {
    const until = pausedUntil.get(seq);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    pausedUntil.delete(seq);
    return false;
  };

  const takeUp = async (): Promise<Millis> => {
    const counts = new Map<WorkspaceId, number>();
    for (const { workspaceId } of running.values()) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1);
    const due = (await listDueSources(store.read, MAX_DUE)).filter(({ seq }) => !running.has(seq) && !isPaused(seq));
    // Every workspace's first source precedes any second one.
    for (let most = 1; most <= MAX_CRAWLS_OF_WORKSPACE; most += 1) {
      for (const { seq, workspaceId } of due) {
        const count = counts.get(workspaceId) ?? 0;
        if (running.size >= MAX_CRAWLS || count >= most || running.has(seq) || background.stopping.aborted) continue;
        counts.set(workspaceId, count + 1);
        begin(seq, workspaceId);
      }
    }
    return POLL_MS;
  };

  const background = createStoppableWork(takeUp, (error) => {
    onError(error);
    return POLL_MS;
  });

  return {
    start: background.start,
    wake: background.wake,
    stop: async () => {
      await background.stop();
      await Promise.all([...running.values()].map(({ end }) => end));
    },
    purge: async () => {
      let steps = 0;
      for (const seq of await listRemovedSources(store.read, ROWS_AT_ONCE)) {
        while (steps++ < MAX_STEPS) {
          const isLeft = await store.write((tx) => deleteSomeOfSource(tx, seq, ROWS_AT_ONCE));
          await new Promise((resolve) => setImmediate(resolve));
          if (!isLeft) break;
        }
      }
    },
  };
};
