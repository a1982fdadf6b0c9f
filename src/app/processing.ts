/** Shared by all mail and calls: the budget of clients and keys, the worker threads, the events. */

import { availableParallelism } from 'node:os';
import { createBudget } from '../budget/budget.ts';
import type { Config } from '../config/config.ts';
import { pollOtherProcesses } from '../events/other-processes.ts';
import { createEvents } from '../events/publish-events.ts';
import { createRevocations } from '../events/revocations.ts';
import { steadyClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { toDecidedLine } from '../mail-log/decided.ts';
import { createMailLog } from '../mail-log/mail-log.ts';
import { createWorkerPool } from '../workers/worker-pool.ts';
import type { Runtime } from './instance.ts';
import type { Network } from './network.ts';
import type { Storage } from './storage.ts';

export type Processing = ReturnType<typeof createProcessing>;

/** What the other parts of the daemon are made with. */
export interface Base {
  storage: Storage;
  network: Network;
  processing: Processing;
}

export const createProcessing = (config: Config, log: Log, { clock, random }: Runtime, { store }: Storage) => {
  const onError = (error: unknown) => log.error({ err: error }, 'fault');
  const mailLog = createMailLog(log);
  const budget = createBudget(config.budget, { clock: steadyClock, log });
  const workers = createWorkerPool(
    { threads: workerThreads(), resolvers: config.dns.resolvers },
    { workerQueue: budget.workerQueue, onError },
  );
  // A busy worker means that another message is about to be stored: the group commit waits for it.
  store.gatherWhile(() => workers.busy);
  const events = createEvents(clock, random, onError);
  events.subscribe((event) => {
    const line = toDecidedLine(event);
    if (line) mailLog.record(line);
  });
  const revocations = createRevocations(store.read, clock);
  const otherProcesses = pollOtherProcesses([() => events.dispatchForeign(store.read), revocations.poll], onError);
  return {
    onError,
    mailLog,
    budget,
    workers,
    events,
    revocations,
    hearOthers: otherProcesses.wake,
    start: otherProcesses.start,
    stop: async () => {
      await otherProcesses.stop();
      await workers.close();
    },
  };
};

/** One core is left to the main thread's protocols; workers parse, verify and sign, on 1 to 8 threads. */
const workerThreads = (): number => Math.min(Math.max(availableParallelism() - 1, 1), 8);
