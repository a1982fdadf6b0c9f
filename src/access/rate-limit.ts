/** Requests a minute, counted in fixed windows: by API key, or by network where a request has no valid key. */

import { BoundedMap } from '../kernel/bounded-map.ts';
import { type Clock, isAhead, MINUTE, type Millis, SECOND } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { DrawnRequests, DrawRequests } from '../store/store.ts';

/** The interface's section 8. */
export const REQUESTS_PER_KEY = 300;
export const REQUESTS_PER_ADDRESS = 30;
/** For what is neither `/v1` nor `/mcp`: documents, pages, the open count. The console refreshes less often near it. */
export const PAGES_PER_ADDRESS = 600;

/** Windows in memory; past it the oldest are dropped. */
const MAX_WINDOWS = 50_000;

export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** When the window ends and the count starts over. */
  resetAt: Millis;
}

export interface RateLimit {
  /** Counts one request under `key`. */
  take(key: string): Allowance;
  /** The allowance of `key`, without counting. */
  peek(key: string): Allowance;
  /** Takes back the last {@link take}, for a request that was refused. */
  giveBack(key: string): void;
}

export const createRateLimit = (clock: Clock, limit: number, windowMs: Millis = MINUTE): RateLimit => {
  const windows = new BoundedMap<string, { count: number; resetAt: Millis }>(MAX_WINDOWS);
  const windowOf = (key: string) => {
    const now = clock.now();
    const known = windows.get(key);
    if (known && isAhead(known.resetAt, now, windowMs)) return known;
    const opened = { count: 0, resetAt: now + windowMs };
    windows.set(key, opened);
    return opened;
  };
  const stand = ({ count, resetAt }: { count: number; resetAt: Millis }, allowed: boolean): Allowance => ({
    allowed,
    limit,
    remaining: Math.max(0, limit - count),
    resetAt,
  });
  return {
    take: (key) => {
      const window = windowOf(key);
      if (window.count >= limit) return stand(window, false);
      window.count += 1;
      return stand(window, true);
    },
    peek: (key) => {
      const window = windowOf(key);
      return stand(window, window.count < limit);
    },
    giveBack: (key) => {
      const window = windowOf(key);
      window.count = Math.max(0, window.count - 1);
    },
  };
};

/** The same over all boxes of an installation. */
export interface SharedRateLimit {
  take(key: string): Promise<Allowance>;
}

/** @param draw null: this is the only box */
export const createSharedRateLimit = (clock: Clock, limit: number, draw: DrawRequests | null): SharedRateLimit => {
  const own = createRateLimit(clock, limit);
  if (draw === null) return { take: async (key) => own.take(key) };
  const windows = new BoundedMap<string, DrawnRequests & { drawn: number }>(MAX_WINDOWS);
  /** By key: calls that come together share a draw. */
  const draws = new Map<string, Promise<DrawnRequests>>();

  const drawMore = async (key: string): Promise<DrawnRequests> => {
    const now = clock.now();
    const known = windows.get(key);
    // As many again as in this window so far: what is unused at a box is never more than what it has used.
    const before = known && isAhead(known.resetAt, now, MINUTE) ? known.drawn : 0;
    try {
      const more = await draw(key, { limit, most: Math.max(1, before), windowMs: MINUTE, now });
      // By this clock, where a box with another has opened it.
      const window = { ...more, drawn: before + more.count, resetAt: Math.min(more.resetAt, now + MINUTE) };
      windows.set(key, window);
      return window;
    } finally {
      draws.delete(key);
    }
  };
  const windowOf = (key: string): DrawnRequests | Promise<DrawnRequests> => {
    const known = windows.get(key);
    const isEnough = known && (known.count > 0 || known.left === 0);
    if (isEnough && isAhead(known.resetAt, clock.now(), MINUTE)) return known;
    const drawing = draws.get(key) ?? drawMore(key);
    draws.set(key, drawing);
    return drawing;
  };
  const takeDrawn = async (key: string): Promise<Allowance> => {
    for (;;) {
      const window = await windowOf(key);
      const { count, left, resetAt } = window;
      if (count === 0 && left > 0) continue;
      window.count = Math.max(0, count - 1);
      return { allowed: count > 0, limit, remaining: window.count + left, resetAt };
    }
  };
  return {
    // A store that is full, or takes no writes for now, may still be read: each box counts by itself then.
    take: (key) => takeDrawn(key).catch(() => own.take(key)),
  };
};

/** Reply headers of an allowance; `retry-after` where it is used up. */
export const rateLimitHeaders = (allowance: Allowance, clock: Clock): Record<string, string> => {
  const seconds = Math.max(1, Math.ceil((allowance.resetAt - clock.now()) / SECOND));
  return {
    'x-ratelimit-limit': String(allowance.limit),
    'x-ratelimit-remaining': String(allowance.remaining),
    'x-ratelimit-reset': String(Math.ceil(allowance.resetAt / SECOND)),
    ...(!allowance.allowed && { 'retry-after': String(seconds) }),
  };
};

/** Counts one under `key`. @throws ApiError rate_limited, with when to come again */
export const requireAllowance = (limit: RateLimit, key: string, clock: Clock, hint: string): void => {
  const allowance = limit.take(key);
  if (!allowance.allowed) throw new ApiError('rate_limited', { hint, headers: rateLimitHeaders(allowance, clock) });
};
