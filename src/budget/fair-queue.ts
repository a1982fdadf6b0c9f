/**
 * Fair queue for worker threads and searches: runs a bounded number of tasks at once; the next task belongs to the
 * owner with the least virtual time (start-time fair queueing), so a heavy owner delays only its own tasks.
 */

import type { Clock, Millis } from '../kernel/clock.ts';
import { type Limit, type Occupant, type Refusal, type Shares, toOwnerKey } from './occupant.ts';
import { createPartyCounts } from './party-counts.ts';

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
   * @throws QueueRefused
   */
  run<T>(occupant: Occupant, work: () => Promise<T>): Promise<T>;
  /** Number of waiting tasks. */
  readonly waiting: number;
  /** Refuses all waiting and later tasks. */
  close(): void;
}

export interface FairQueueSettings {
  /** Name in the log. */
  readonly resource: string;
  /** Concurrent tasks: in total, and per party. */
  readonly atOnce: number;
  readonly atOnceShares: Shares;
  /** Waiting tasks: in total, and per owner. */
  readonly waiting: number;
  readonly waitingOfOwner: number;
  readonly waitMs: Millis;
  readonly clock: Clock;
  readonly onRefused: (refusal: Refusal) => void;
}

interface Entry {
  readonly occupant: Occupant;
  begin(): void;
  refuse(limit: Limit): void;
}

interface Owner {
  readonly queue: Entry[];
  running: number;
  /** Virtual time used, in ms; a new owner starts at the current virtual time. */
  used: number;
}

/** Charged at the start of a task, so that concurrent tasks count before they end. */
const QUANTUM_MS = 1;
/** Number of owners above which idle ones are removed. */
const MANY_OWNERS = 1_000;

export const createFairQueue = (settings: FairQueueSettings): FairQueue => {
  const { resource, atOnce, atOnceShares, clock, onRefused } = settings;
  const owners = new Map<string, Owner>();
  const counts = createPartyCounts(atOnceShares);
  let running = 0;
  let waiting = 0;
  /** Current virtual time: that of the owner whose task started last. */
  let now = 0;
  let isClosed = false;

  const mayRun = (occupant: Occupant): boolean => counts.of(occupant).every(({ share, used }) => used < share);
  const count = (owner: Owner, occupant: Occupant, by: 1 | -1): void => {
    running += by;
    owner.running += by;
    counts.change(occupant, by);
  };

  const isIdle = ({ queue, running: ofOwner }: Owner): boolean => queue.length + ofOwner === 0;
  /** Removes idle owners whose virtual time has been reached; all of them once nothing runs or waits. */
  const removeIdle = (): void => {
    if (running + waiting === 0) {
      owners.clear();
      now = 0;
    } else if (owners.size > MANY_OWNERS) {
      for (const [name, owner] of owners) if (isIdle(owner) && owner.used <= now) owners.delete(name);
    }
  };
  const useOwner = (name: string): Owner => {
    const known = owners.get(name);
    const owner = known ?? { queue: [], running: 0, used: now };
    if (!known) owners.set(name, owner);
    // Unused time does not accumulate.
    else if (isIdle(owner)) owner.used = Math.max(owner.used, now);
    return owner;
  };

  const start = (owner: Owner, occupant: Occupant): void => {
    now = Math.max(now, owner.used);
    owner.used += QUANTUM_MS;
    count(owner, occupant, 1);
  };
  const startNext = (): void => {
    while (running < atOnce && waiting > 0) {
      let chosen: { owner: Owner; at: number } | null = null;
      for (const owner of owners.values()) {
        if (owner.queue.length === 0 || (chosen && owner.used >= chosen.owner.used)) continue;
        const at = owner.queue.findIndex(({ occupant }) => mayRun(occupant));
        if (at >= 0) chosen = { owner, at };
      }
      const entry = chosen?.owner.queue.splice(chosen.at, 1)[0];
      if (!chosen || !entry) return;
      waiting -= 1;
      start(chosen.owner, entry.occupant);
      entry.begin();
    }
  };

  /** @returns once the task has its turn and is counted */
  const waitForTurn = (owner: Owner, occupant: Occupant): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        owner.queue.splice(owner.queue.indexOf(entry), 1);
        waiting -= 1;
        onRefused({ resource, occupant, limit: 'all', asked: 1, used: running, most: atOnce });
        entry.refuse('all');
      }, settings.waitMs);
      const entry: Entry = {
        occupant,
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
        refuse: (limit) => {
          clearTimeout(timer);
          reject(new QueueRefused(resource, limit));
        },
      };
      owner.queue.push(entry);
      waiting += 1;
      startNext();
    });

  /** Returns the bound of waiting tasks that is met; null where the task may wait. */
  const queueBound = (occupant: Occupant, owner: Owner): { limit: Limit; used: number; most: number } | null => {
    const { waiting: most, waitingOfOwner } = settings;
    const party = occupant.workspace === undefined ? 'network' : 'workspace';
    if (!occupant.isExempt && owner.queue.length >= waitingOfOwner)
      return { limit: party, used: owner.queue.length, most: waitingOfOwner };
    return waiting >= most ? { limit: 'all', used: waiting, most } : null;
  };

  return {
    run: async (occupant, work) => {
      if (isClosed) throw new QueueRefused(resource, 'all');
      const owner = useOwner(toOwnerKey(occupant));
      if (running < atOnce && waiting === 0 && mayRun(occupant)) start(owner, occupant);
      else {
        const bound = queueBound(occupant, owner);
        if (bound) {
          onRefused({ resource, occupant, asked: 1, ...bound });
          throw new QueueRefused(resource, bound.limit);
        }
        await waitForTurn(owner, occupant);
      }
      const began = clock.now();
      try {
        return await work();
      } finally {
        owner.used += Math.max(clock.now() - began - QUANTUM_MS, 0);
        count(owner, occupant, -1);
        startNext();
        removeIdle();
      }
    },
    get waiting() {
      return waiting;
    },
    close: () => {
      isClosed = true;
      waiting = 0;
      for (const { queue } of owners.values()) for (const entry of queue.splice(0)) entry.refuse('all');
    },
  };
};
