/** Runs operations as the operator, directly on the data file, through the same dispatch as every other call. */

import { availableParallelism } from 'node:os';
import type { z } from 'zod';
import type { FairQueue } from '../budget/fair-queue.ts';
import { createEvents } from '../events/publish-events.ts';
import { SECOND } from '../kernel/clock.ts';
import type { Operation, PersonGives, PersonOutput } from '../kernel/operation.ts';
import type { MailLog } from '../mail-log/mail-log.ts';
import { createResolver } from '../net/dns/resolver.ts';
import { type CheckedAddresses, findCheckedAddresses } from '../net/http/checked-address.ts';
import { cidrMatcher } from '../net/ip/address-range.ts';
import { createNotices } from '../notices/notices.ts';
import { createHeldDecisions } from '../outbound/gate/decide-held.ts';
import { createEditHeld } from '../outbound/gate/edit-held.ts';
import { bindOperations } from '../resources/index.ts';
import { createWebhookSeal } from '../webhooks/secrets.ts';
import { readInThisThread } from '../workers/contact-tasks.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import { createChecks } from './domains/domain-checks.ts';
import type { Instance } from './instance.ts';
import { createInstanceDispatch, toInstanceNeeds } from './operations.ts';

/** The command line runs one operation at a time. */
const unqueued: Pick<FairQueue, 'run'> = { run: (_occupant, work) => work() };

/** The daemon's queue logs the mail that the operator releases. */
const SILENT: MailLog = { record: () => {} };

/** One command at a time uses the threads, which bounds the waiting tasks. */
const threadTurns = (): FairQueue => ({ run: unqueued.run, waiting: 0, close: () => {} });

/** Threads that read mail, started by the first task: a mail may crash its reader. */
const createThreads = (): Pick<WorkerPool, 'run' | 'close'> => {
  let pool: Promise<WorkerPool> | null = null;
  // Loaded here, because few commands need it.
  const start = async (): Promise<WorkerPool> => {
    const { createWorkerPool } = await import('../workers/worker-pool.ts');
    const threads = Math.min(availableParallelism(), 2);
    return createWorkerPool({ threads, resolvers: [] }, { workerQueue: threadTurns, onError: () => {} });
  };
  return {
    run: async (task) => {
      pool ??= start();
      return (await pool).run(task);
    },
    close: async () => (await pool)?.close(),
  };
};

const CACHE = { maxEntries: 100, positiveMs: 60 * SECOND, negativeMs: 30 * SECOND };
const TIME_OUT_MS = 5 * SECOND;

/** Checks the host of a URL without the daemon's network. */
const createAddressFinder = ({
  config: { dns, network },
  runtime: { clock },
}: Pick<Instance, 'config' | 'runtime'>): ((url: URL) => Promise<CheckedAddresses>) => {
  const resolver = createResolver({ servers: dns.resolvers, timeoutMs: TIME_OUT_MS, cache: CACHE, clock });
  return (url) => findCheckedAddresses({ resolver, isAllowedPrivate: cidrMatcher(network.allow_private) }, url);
};

export type CallOperation = <O extends Operation>(
  operation: O,
  input: PersonGives<O>,
) => Promise<z.output<PersonOutput<O>>>;

/** @param name recorded with the operator's decisions, as `cli:root` */
export const createOperatorCalls = (instance: Instance, name: string) => {
  const { store, plans, newId, vaultKey, activity, config, runtime } = instance;
  const { clock, random } = runtime;
  // A running daemon reads the events and the queue from the store within seconds.
  const events = createEvents(clock, random, () => {});
  const { local_only: isLocalOnly } = config.outbound;
  const review = createHeldDecisions({
    store,
    events,
    mailLog: SILENT,
    plans,
    activity,
    clock,
    newId,
    isLocalOnly,
    queue: { lease: () => null, take: () => {}, wake: () => {} },
    // Mail released at the command line is sent at once.
    undoMs: 0,
    onError: () => {},
  });
  // The daemon mails a notice, now or at its next start.
  const notices = createNotices({
    store,
    clock,
    newId,
    checkOwner: async () => 'fine',
    onOwnAddress: () => {},
    onRefused: () => {},
    onError: () => {},
  });
  const checks = createChecks(instance, events, unqueued, notices.write);
  const threads = createThreads();
  const bound = bindOperations(['operator'], {
    ...toInstanceNeeds(instance),
    events,
    review,
    editHeld: createEditHeld({
      store,
      publicUrl: config.public_url,
      workers: threads,
      findLeakIndex: (workspaceId) => instance.leakGuard.find(store.read, workspaceId),
    }),
    checks,
    workers: readInThisThread,
    searches: unqueued,
    findAddresses: createAddressFinder(instance),
    // A running daemon finds queued sources and mail in the store within seconds.
    wakeIndexer: () => {},
    wakeSender: () => {},
    toQueryVector: async () => null,
    readImported: threads.run,
    // The operator sees and ends endpoints; agents and owners set them up, in the daemon.
    webhooks: {
      posting: { clock, seal: createWebhookSeal(vaultKey), request: () => Promise.reject(new Error('No daemon.')) },
      dispatcher: { wake: () => {} },
    },
    onError: () => {},
  });
  const byOperation = new Map(bound.map((each) => [each.operation, each]));
  const dispatch = createInstanceDispatch(instance);
  const call: CallOperation = async (operation, input) => {
    const found = byOperation.get(operation);
    if (!found) throw new Error(`${operation.name} is no operation of persons.`);
    const caller = { kind: 'operator', name } as const;
    const { body } = await dispatch(found, { caller, input, idempotencyKey: null, via: 'CLI' });
    return body as never;
  };
  /** `close` ends the threads that calls have started. */
  return { call, close: threads.close };
};
