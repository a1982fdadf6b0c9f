/**
 * Fair queue for worker threads and searches: runs a bounded number of tasks at once. The next task is of the tenant
 * with the least virtual time (start-time fair queueing), so a heavy tenant delays only its own tasks.
 */

import type { Clock, Millis } from '../kernel/clock.ts';
import { createPartyCounts } from './party-counts.ts';
import { type Bound, type Limit, type QuotaSubject, type Refusal, type Shares, toTenant } from './quota-subject.ts';

/** The queue is full, or the wait timed out. The task did not start. */
export class QueueRefused extends Error {
  override readonly name = 'QueueRefused';
  readonly limit: Limit;

  constructor(resource: string, limit: Limit) {
    super(`The queue for ${resource} is full or too slow: the bound of ${limit} is met`);
    this.limit = limit;
  }
}

export interface FairQueue {
  /**
   * Runs `work` when its turn comes; the turn ends when the promise of `work` settles.
   * @param octets that it holds while it waits
   * @throws QueueRefused
   */
  run<T>(quotaSubject: QuotaSubject, work: () => Promise<T>, octets?: number): Promise<T>;
  /** Number of waiting tasks. */
  readonly waiting: number;
  /** Refuses all waiting and later tasks. */
  close(): void;
}

export interface FairQueueSettings {
  /** Name in the log. */
  readonly resource: string;
  /** Concurrent tasks: in total, and per tenant. */
  readonly atOnce: number;
  readonly atOnceShares: Shares;
  /** Concurrent tasks of all networks together, which leave the rest to workspaces; left out: as many as `atOnce`. */
  readonly atOnceOfNetworks?: number;
  /** Waiting tasks: in total, and per tenant. */
  readonly waiting: number;
  readonly waitingPerTenant: number;
  /** Octets that waiting tasks hold: in total, and per tenant; left out: any number. */
  readonly octets?: number;
  readonly octetsPerTenant?: number;
  readonly waitMs: Millis;
  readonly clock: Clock;
  readonly onRefused: (refusal: Refusal) => void;
}

interface Entry {
  readonly quotaSubject: QuotaSubject;
  readonly octets: number;
  begin(): void;
  refuse(limit: Limit): void;
}

interface Tenant {
  readonly queue: Entry[];
  /** Held by what waits. */
  octets: number;
  running: number;
  /** Virtual time used, in ms; a new tenant starts at the current virtual time. */
  used: number;
}

/** Charged at the start of a task, so that concurrent tasks count before they end. */
const QUANTUM_MS = 1;
/** Number of tenants above which idle ones are removed. */
const MANY_TENANTS = 1_000;

export const createFairQueue = (settings: FairQueueSettings): FairQueue => {
  const { resource, atOnce, atOnceShares, atOnceOfNetworks = atOnce, clock, onRefused } = settings;
  const { octets: mostOctets = Number.POSITIVE_INFINITY, octetsPerTenant = Number.POSITIVE_INFINITY } = settings;
  const tenants = new Map<string, Tenant>();
  const counts = createPartyCounts(atOnceShares);
  let running = 0;
  let ofNetworks = 0;
  let waiting = 0;
  let octetsWaiting = 0;
  /** Current virtual time: that of the tenant with the task that started last. */
  let now = 0;
  let isClosed = false;

  const isNetwork = ({ network, workspace }: QuotaSubject): boolean => network !== undefined && workspace === undefined;
  const mayRun = (quotaSubject: QuotaSubject): boolean =>
    !(isNetwork(quotaSubject) && ofNetworks >= atOnceOfNetworks) &&
    counts.of(quotaSubject).every(({ share, used }) => used < share);
  const count = (tenant: Tenant, quotaSubject: QuotaSubject, by: 1 | -1): void => {
    running += by;
    if (isNetwork(quotaSubject)) ofNetworks += by;
    tenant.running += by;
    counts.change(quotaSubject, by);
  };

  const isIdle = ({ queue, running: ofOwner }: Tenant): boolean => queue.length + ofOwner === 0;
  /** Removes idle tenants with a virtual time in the past; all of them once nothing runs or waits. */
  const removeIdle = (): void => {
    if (running + waiting === 0) {
      tenants.clear();
      now = 0;
    } else if (tenants.size > MANY_TENANTS) {
      for (const [name, tenant] of tenants) if (isIdle(tenant) && tenant.used <= now) tenants.delete(name);
    }
  };
  const useTenant = (name: string): Tenant => {
    const known = tenants.get(name);
    const tenant = known ?? { queue: [], octets: 0, running: 0, used: now };
    if (!known) tenants.set(name, tenant);
    // Unused time does not accumulate.
    else if (isIdle(tenant)) tenant.used = Math.max(tenant.used, now);
    return tenant;
  };

  const enter = (tenant: Tenant, entry: Entry): void => {
    tenant.queue.push(entry);
    waiting += 1;
    tenant.octets += entry.octets;
    octetsWaiting += entry.octets;
  };
  /** Takes an entry out of its queue. */
  const leave = (tenant: Tenant, at: number): Entry | undefined => {
    const [entry] = tenant.queue.splice(at, 1);
    if (!entry) return undefined;
    waiting -= 1;
    tenant.octets -= entry.octets;
    octetsWaiting -= entry.octets;
    return entry;
  };

  const start = (tenant: Tenant, quotaSubject: QuotaSubject): void => {
    now = Math.max(now, tenant.used);
    tenant.used += QUANTUM_MS;
    count(tenant, quotaSubject, 1);
  };
  const startNext = (): void => {
    while (running < atOnce && waiting > 0) {
      let chosen: { tenant: Tenant; at: number } | null = null;
      for (const tenant of tenants.values()) {
        if (tenant.queue.length === 0 || (chosen && tenant.used >= chosen.tenant.used)) continue;
        const at = tenant.queue.findIndex(({ quotaSubject }) => mayRun(quotaSubject));
        if (at >= 0) chosen = { tenant, at };
      }
      const entry = chosen && leave(chosen.tenant, chosen.at);
      if (!chosen || !entry) return;
      start(chosen.tenant, entry.quotaSubject);
      entry.begin();
    }
  };

  /** @returns once the task has its turn and is counted */
  const waitForTurn = (tenant: Tenant, quotaSubject: QuotaSubject, octets: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        leave(tenant, tenant.queue.indexOf(entry));
        onRefused({ resource, quotaSubject, limit: 'all', asked: 1, used: running, most: atOnce });
        entry.refuse('all');
      }, settings.waitMs);
      const entry: Entry = {
        quotaSubject,
        octets,
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
        refuse: (limit) => {
          clearTimeout(timer);
          reject(new QueueRefused(resource, limit));
        },
      };
      enter(tenant, entry);
      startNext();
    });

  /** Refuses the last task of the tenant that has the most waiting. @returns false where the asking one would have more */
  const makeRoom = (asking: Tenant, amount: number, measure: (tenant: Tenant) => number, bound: Bound): boolean => {
    let longest = asking;
    let most = measure(asking) + amount;
    for (const tenant of tenants.values()) {
      if (measure(tenant) <= most || tenant.queue.at(-1)?.quotaSubject.isExempt) continue;
      longest = tenant;
      most = measure(tenant);
    }
    const last = longest === asking ? undefined : leave(longest, longest.queue.length - 1);
    if (!last) return false;
    onRefused({ resource, quotaSubject: last.quotaSubject, asked: 1, ...bound });
    last.refuse('all');
    return true;
  };

  /** Returns the bound of waiting tasks that is met; null where the task may wait, for which others may have to go. */
  const queueBound = (quotaSubject: QuotaSubject, tenant: Tenant, octets: number): Bound | null => {
    const { waiting: mostWaiting, waitingPerTenant } = settings;
    const limit = quotaSubject.workspace === undefined ? 'network' : 'workspace';
    if (!quotaSubject.isExempt) {
      if (tenant.queue.length >= waitingPerTenant) return { limit, used: tenant.queue.length, most: waitingPerTenant };
      if (tenant.octets + octets > octetsPerTenant) return { limit, used: tenant.octets, most: octetsPerTenant };
    }
    for (;;) {
      if (waiting >= mostWaiting) {
        const bound: Bound = { limit: 'all', used: waiting, most: mostWaiting };
        if (!makeRoom(tenant, 1, ({ queue }) => queue.length, bound)) return bound;
      } else if (octetsWaiting + octets > mostOctets) {
        const bound: Bound = { limit: 'all', used: octetsWaiting, most: mostOctets };
        if (!makeRoom(tenant, octets, ({ octets: held }) => held, bound)) return bound;
      } else return null;
    }
  };

  return {
    run: async (quotaSubject, work, octets = 0) => {
      if (isClosed) throw new QueueRefused(resource, 'all');
      const tenant = useTenant(toTenant(quotaSubject));
      if (running < atOnce && waiting === 0 && mayRun(quotaSubject)) start(tenant, quotaSubject);
      else {
        const bound = queueBound(quotaSubject, tenant, octets);
        if (bound) {
          onRefused({ resource, quotaSubject, asked: 1, ...bound });
          throw new QueueRefused(resource, bound.limit);
        }
        await waitForTurn(tenant, quotaSubject, octets);
      }
      const began = clock.now();
      try {
        return await work();
      } finally {
        tenant.used += Math.max(clock.now() - began - QUANTUM_MS, 0);
        count(tenant, quotaSubject, -1);
        startNext();
        removeIdle();
      }
    },
    get waiting() {
      return waiting;
    },
    close: () => {
      isClosed = true;
      for (const tenant of tenants.values())
        for (let entry = leave(tenant, 0); entry; entry = leave(tenant, 0)) entry.refuse('all');
    },
  };
};
