/**
 * Capacity that is held for a while: connections, bytes. Bounded in all, and for each network, workspace and key. Where a
 * bound is met, a holder under the same bound that yields gives way first; only then is the new one refused.
 */

import { type Limit, type Occupant, PARTIES, type Refusal, type Shares } from './occupant.ts';

export interface Holder {
  /** How soon it gives way to another, higher sooner; null: not now. */
  yields(): number | null;
  /** Its lease has ended in favour of another. */
  giveWay(): void;
}

export interface Lease {
  /** @returns the bound that leaves no room for so much more, in which case nothing is taken; null where it is taken */
  grow(amount: number): Limit | null;
  /** May be called again. */
  release(): void;
}

export interface Pool {
  /** A lease on nothing yet. */
  open(occupant: Occupant, holder?: Holder): Lease;
  /** The bound that a lease of so much would meet, with all that would give way gone; null where there is room. */
  lacksRoom(occupant: Occupant, amount: number): Limit | null;
  /** What is held now. */
  readonly used: number;
}

export interface PoolSettings {
  /** As the log names it. */
  readonly resource: string;
  readonly capacity: number;
  readonly shares: Shares;
  readonly onRefused: (refusal: Refusal) => void;
}

interface Held {
  readonly occupant: Occupant;
  readonly holder: Holder | null;
  amount: number;
  isOver: boolean;
}

const KEEPS: Holder = { yields: () => null, giveWay: () => undefined };

export const createPool = ({ resource, capacity, shares, onRefused }: PoolSettings): Pool => {
  const leases = new Set<Held>();
  const usedBy = new Map<string, number>();
  let used = 0;

  /** The counters that an occupant is charged to beside the whole, each with its share. */
  const accountsOf = (occupant: Occupant) =>
    PARTIES.flatMap((party) => {
      const [id, share] = [occupant[party], shares[party]];
      return id === undefined || share === undefined || occupant.isExempt
        ? []
        : [{ party, share, name: `${party} ${id}` }];
    });

  const change = (held: Held, by: number): void => {
    held.amount += by;
    used += by;
    if (held.amount > 0) leases.add(held);
    else leases.delete(held);
    for (const { name } of accountsOf(held.occupant)) {
      const left = (usedBy.get(name) ?? 0) + by;
      if (left > 0) usedBy.set(name, left);
      else usedBy.delete(name);
    }
  };

  /** How a bound stands for an occupant that asks for more. */
  const boundMet = (occupant: Occupant, amount: number): { limit: Limit; used: number; most: number } | null => {
    for (const { party, share, name } of accountsOf(occupant)) {
      const own = usedBy.get(name) ?? 0;
      if (own + amount > share) return { limit: party, used: own, most: share };
    }
    return used + amount > capacity ? { limit: 'all', used, most: capacity } : null;
  };

  const isUnder = (held: Held, limit: Limit, occupant: Occupant): boolean =>
    limit === 'all' || (held.occupant[limit] === occupant[limit] && !held.occupant.isExempt);

  const release = (held: Held): void => {
    held.isOver = true;
    if (held.amount > 0) change(held, -held.amount);
  };

  /** Of the holders under a bound, the one that yields soonest. */
  const yielding = (asking: Held, limit: Limit): Held | null => {
    let soonest: Held | null = null;
    let most = Number.NEGATIVE_INFINITY;
    for (const held of leases) {
      if (held === asking || !isUnder(held, limit, asking.occupant)) continue;
      const rank = (held.holder ?? KEEPS).yields();
      if (rank === null || rank <= most) continue;
      soonest = held;
      most = rank;
    }
    return soonest;
  };

  const refuse = (occupant: Occupant, asked: number, bound: { limit: Limit; used: number; most: number }): Limit => {
    onRefused({ resource, occupant, asked, ...bound });
    return bound.limit;
  };

  const grow = (held: Held, amount: number): Limit | null => {
    if (held.isOver) return 'all';
    for (;;) {
      const bound = boundMet(held.occupant, amount);
      if (bound === null) break;
      // Where the lease alone is beyond the bound, no other makes room for it.
      const other = held.amount + amount > bound.most ? null : yielding(held, bound.limit);
      if (other === null) return refuse(held.occupant, amount, bound);
      release(other);
      other.holder?.giveWay();
    }
    change(held, amount);
    return null;
  };

  return {
    open: (occupant, holder) => {
      const held: Held = { occupant, holder: holder ?? null, amount: 0, isOver: false };
      return { grow: (amount) => grow(held, amount), release: () => release(held) };
    },
    lacksRoom: (occupant, amount) => {
      const bound = boundMet(occupant, amount);
      if (bound === null) return null;
      let room = bound.most - bound.used;
      for (const held of leases) {
        if (isUnder(held, bound.limit, occupant) && (held.holder ?? KEEPS).yields() !== null) room += held.amount;
      }
      return room >= amount ? null : refuse(occupant, amount, bound);
    },
    get used() {
      return used;
    },
  };
};
