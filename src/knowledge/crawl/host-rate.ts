/** Spaces the requests to each host, over all crawls. */

import { setTimeout as delay } from 'node:timers/promises';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Millis } from '../../kernel/clock.ts';

/** Hosts remembered; the least recently used, with the oldest requests, are dropped. */
const MAX_HOSTS = 10_000;

export interface HostRate {
  /** Resolves when a request to the host may be made. @param intervalMs pause before the next one */
  take(host: string, intervalMs: Millis, signal: AbortSignal): Promise<void>;
}

export const createHostRate = (): HostRate => {
  const nextAt = new BoundedMap<string, number>(MAX_HOSTS);
  return {
    take: async (host, intervalMs, signal) => {
      const now = performance.now();
      const at = Math.max(now, nextAt.use(host) ?? now);
      nextAt.set(host, at + intervalMs);
      if (at > now) await delay(at - now, undefined, { signal });
    },
  };
};
