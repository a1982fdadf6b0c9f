/**
 * Pools of capacity that is held for a while: connections, bytes. Bounded in total, and per network, workspace and key.
 * At a bound, an evictable holder under the same bound is evicted first; only without one the new request is refused.
 */

import type { Clock, Millis } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { createPartyCounts } from './party-counts.ts';
import type { Bound, Limit, QuotaSubject, Refusal, Shares } from './quota-subject.ts';

export interface Holder {
  /** Eviction rank, higher first; null: not evictable now. @param limit the bound that is met */
  evictionRank(limit: Limit): number | null;
  /** Called after its lease was released in favour of another. */
  evict(): void;
}

/** The rank of a holder by its idle time; null within the first `afterMs`, or at work (`since` is null). */
export const idleRank = (clock: Clock, since: Millis | null, afterMs: Millis): number | null => {
  const idleMs = since === null ? -1 : clock.now() - since;
  return idleMs >= 0 && idleMs >= afterMs ? idleMs : null;
};

/**
 * The rank of a transfer by its mean rate, the slowest first.
 * @param transferred octets so far; null once it is complete
 * @returns null within the first `afterMs`, and once it is complete
 */
export const slownessRank = (
  clock: Clock,
  since: Millis,
  transferred: number | null,
  afterMs: Millis,
): number | null => {
  const forMs = clock.now() - since;
  return transferred === null || forMs < afterMs ? null : -transferred / Math.max(forMs, 1);
};

export interface Lease {
  /** @returns the exceeded bound, in which case nothing is acquired; null on success */
  grow(amount: number): Limit | null;
  /** Idempotent. */
  release(): void;
}

export interface Pool {
  /** Opens a lease of amount 0. */
  open(quotaSubject: QuotaSubject, holder?: Holder): Lease;
  /** Returns the bound that a lease of this amount would exceed after all possible evictions; null where it fits. */
  wouldExceed(quotaSubject: QuotaSubject, amount: number): Limit | null;
  /** The amount held now. */
  readonly used: number;
}

export interface PoolSettings {
  /** Name in the log. */
  readonly resource: string;
  readonly capacity: number;
  readonly shares: Shares;
  readonly onRefused: (refusal: Refusal) => void;
}

interface Held {
  readonly quotaSubject: QuotaSubject;
  readonly holder: Holder | null;
  amount: number;
  isOver: boolean;
}

export const createPool = ({ resource, capacity, shares, onRefused }: PoolSettings): Pool => {
  const leases = new Set<Held>();
  const counts = createPartyCounts(shares);
  let used = 0;

  const change = (held: Held, by: number): void => {
    held.amount += by;
    used += by;
    if (held.amount > 0) leases.add(held);
    else leases.delete(held);
    counts.change(held.quotaSubject, by);
  };

  /** Returns the bound that a quota subject would exceed with the amount. */
  const findExceeded = (quotaSubject: QuotaSubject, amount: number): Bound | null => {
    for (const { party, share, used: own } of counts.of(quotaSubject)) {
      if (own + amount > share) return { limit: party, used: own, most: share };
    }
    return used + amount > capacity ? { limit: 'all', used, most: capacity } : null;
  };

  const isUnder = (held: Held, limit: Limit, quotaSubject: QuotaSubject): boolean =>
    limit === 'all' || (held.quotaSubject[limit] === quotaSubject[limit] && !held.quotaSubject.isExempt);

  const release = (held: Held): void => {
    held.isOver = true;
    if (held.amount > 0) change(held, -held.amount);
  };

  /** Returns the holder under a bound with the highest eviction rank. */
  const findEvictable = (asking: Held, limit: Limit): Held | null => {
    let soonest: Held | null = null;
    let most = Number.NEGATIVE_INFINITY;
    for (const held of leases) {
      if (held === asking || !isUnder(held, limit, asking.quotaSubject)) continue;
      const rank = held.holder?.evictionRank(limit) ?? null;
      if (rank === null || rank <= most) continue;
      soonest = held;
      most = rank;
    }
    return soonest;
  };

  const refuse = (quotaSubject: QuotaSubject, asked: number, bound: Bound): Limit => {
    onRefused({ resource, quotaSubject, asked, ...bound });
    return bound.limit;
  };

  const grow = (held: Held, amount: number): Limit | null => {
    if (held.isOver) return 'all';
    for (;;) {
      const bound = findExceeded(held.quotaSubject, amount);
      if (bound === null) break;
      // Evicting others is useless where the lease alone exceeds the bound.
      const other = held.amount + amount > bound.most ? null : findEvictable(held, bound.limit);
      if (other === null) return refuse(held.quotaSubject, amount, bound);
      release(other);
      other.holder?.evict();
    }
    change(held, amount);
    return null;
  };

  return {
    open: (quotaSubject, holder) => {
      const held: Held = { quotaSubject, holder: holder ?? null, amount: 0, isOver: false };
      return { grow: (amount) => grow(held, amount), release: () => release(held) };
    },
    wouldExceed: (quotaSubject, amount) => {
      const bound = findExceeded(quotaSubject, amount);
      if (bound === null) return null;
      let available = bound.most - bound.used;
      for (const held of leases) {
        const isEvictable = (held.holder?.evictionRank(bound.limit) ?? null) !== null;
        if (isEvictable && isUnder(held, bound.limit, quotaSubject)) available += held.amount;
      }
      return available >= amount ? null : refuse(quotaSubject, amount, bound);
    },
    get used() {
      return used;
    },
  };
};

/**
 * Acquires one slot of a pool.
 * @param hint names the bound
 * @throws ApiError rate_limited at a bound
 */
export const takeSlot = (pool: Pool, quotaSubject: QuotaSubject, hint: string, retryAfterSeconds = 1): Lease => {
  const lease = pool.open(quotaSubject);
  if (lease.grow(1) === null) return lease;
  throw new ApiError('rate_limited', { hint, headers: { 'retry-after': String(retryAfterSeconds) } });
};
