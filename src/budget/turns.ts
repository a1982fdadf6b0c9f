/**
 * Capacity that is waited for: worker threads, searches. So many run at once, and the next to run is of the owner that has
 * used the least time (start-time fair queueing): the work of a heavy owner delays that owner's own work and no other's.
 */

import type { Clock, Millis } from '../kernel/clock.ts';
import { type Limit, type Occupant, ownerOf, PARTIES, type Refusal, type Shares } from './occupant.ts';

/** No turn: too much waits already, or the turn did not come in time. Nothing of the work was done. */
export class TurnRefused extends Error {
  override readonly name = 'TurnRefused';
  readonly limit: Limit;

  constructor(resource: string, limit: Limit) {
    super(`No turn for ${resource}: the bound of ${limit} is met`);
    this.limit = limit;
  }
}

export interface Turns {
  /**
   * Runs `work` when its turn comes; the turn lasts until what `work` returns has settled.
   * @throws TurnRefused
   */
  run<T>(occupant: Occupant, work: () => Promise<T>): Promise<T>;
  /** What waits for its turn. */
  readonly waiting: number;
  /** Refuses what waits and what is yet to come. */
  close(): void;
}

export interface TurnSettings {
  /** As the log names it. */
  readonly resource: string;
  /** Turns at once: of all, and of one party. */
  readonly atOnce: number;
  readonly atOnceShares: Shares;
  /** Work that may wait: of all, and of one owner. */
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
  /** Time used, in ms, on one scale for all: an owner that is new begins where the others are. */
  used: number;
}

/** Charged when a turn begins, so that many at once are not free until they end. */
const QUANTUM_MS = 1;
/** Owners beyond this many are looked through for those that have nothing to remember. */
const MANY_OWNERS = 1_000;

export const createTurns = (settings: TurnSettings): Turns => {
  const { resource, atOnce, atOnceShares, clock, onRefused } = settings;
  const owners = new Map<string, Owner>();
  const runningOf = new Map<string, number>();
  let running = 0;
  let waiting = 0;
  /** What the owner had used whose turn began last. */
  let now = 0;
  let isClosed = false;

  const accountsOf = (occupant: Occupant) =>
    PARTIES.flatMap((party) => {
      const [id, share] = [occupant[party], atOnceShares[party]];
      return id === undefined || share === undefined || occupant.isExempt ? [] : [{ share, name: `${party} ${id}` }];
    });
  const mayRun = (occupant: Occupant): boolean =>
    accountsOf(occupant).every(({ share, name }) => (runningOf.get(name) ?? 0) < share);
  const count = (owner: Owner, occupant: Occupant, by: 1 | -1): void => {
    running += by;
    owner.running += by;
    for (const { name } of accountsOf(occupant)) {
      const left = (runningOf.get(name) ?? 0) + by;
      if (left > 0) runningOf.set(name, left);
      else runningOf.delete(name);
    }
  };

  const isIdle = ({ queue, running: ofOwner }: Owner): boolean => queue.length + ofOwner === 0;
  /** Who has used more than the others is remembered until they have caught up, or nothing runs at all. */
  const forgetIdle = (): void => {
    if (running + waiting === 0) {
      owners.clear();
      now = 0;
    } else if (owners.size > MANY_OWNERS) {
      for (const [name, owner] of owners) if (isIdle(owner) && owner.used <= now) owners.delete(name);
    }
  };
  const ownerNamed = (name: string): Owner => {
    const known = owners.get(name);
    const owner = known ?? { queue: [], running: 0, used: now };
    if (!known) owners.set(name, owner);
    // Time that was not asked for is not saved up.
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

  /** @returns once the turn has begun, and is counted */
  const turnOf = (owner: Owner, occupant: Occupant): Promise<void> =>
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
          reject(new TurnRefused(resource, limit));
        },
      };
      owner.queue.push(entry);
      waiting += 1;
      startNext();
    });

  /** The bound that leaves no room to wait; null where there is room. */
  const queueBound = (occupant: Occupant, owner: Owner): { limit: Limit; used: number; most: number } | null => {
    const { waiting: most, waitingOfOwner } = settings;
    const party = occupant.workspace === undefined ? 'network' : 'workspace';
    if (!occupant.isExempt && owner.queue.length >= waitingOfOwner)
      return { limit: party, used: owner.queue.length, most: waitingOfOwner };
    return waiting >= most ? { limit: 'all', used: waiting, most } : null;
  };

  return {
    run: async (occupant, work) => {
      if (isClosed) throw new TurnRefused(resource, 'all');
      const owner = ownerNamed(ownerOf(occupant));
      if (running < atOnce && waiting === 0 && mayRun(occupant)) start(owner, occupant);
      else {
        const bound = queueBound(occupant, owner);
        if (bound) {
          onRefused({ resource, occupant, asked: 1, ...bound });
          throw new TurnRefused(resource, bound.limit);
        }
        await turnOf(owner, occupant);
      }
      const began = clock.now();
      try {
        return await work();
      } finally {
        owner.used += Math.max(clock.now() - began - QUANTUM_MS, 0);
        count(owner, occupant, -1);
        startNext();
        forgetIdle();
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
