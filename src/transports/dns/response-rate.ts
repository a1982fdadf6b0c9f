/**
 * Limits UDP responses per client network, because a forged address would make this server flood a victim. Beyond the
 * limit every second response is truncated, no larger than its query, and the others are dropped; a real client
 * repeats the query over TCP.
 */

import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, SECOND } from '../../kernel/clock.ts';

/** A resolver caches answers; a farm of resolvers shares a prefix. */
const RESPONSES_PER_SECOND = 50;
const BURST = 100;
const SLIP = 2;
/** Networks in memory; beyond it the least recently seen is dropped. */
const MAX_NETWORKS = 50_000;

/** The network of a client: its /24 or /56, the usual allocation of one party. */
const clientPrefix = (ip: string): string => {
  if (!isIPv6(ip)) return ip.split('.').slice(0, 3).join('.');
  const address = ipaddr.IPv6.parse(ip.replace(/%.*$/, ''));
  if (address.isIPv4MappedAddress()) return clientPrefix(address.toIPv4Address().toString());
  return address.toByteArray().slice(0, 7).join('.');
};

/** @returns a function that counts a response, and says what becomes of it */
export const createResponseRate = (clock: Clock) => {
  const networks = new BoundedMap<string, { tokens: number; at: number; limited: number }>(MAX_NETWORKS);
  return (ip: string): 'send' | 'truncate' | 'drop' => {
    const key = clientPrefix(ip);
    const now = clock.now();
    const known = networks.use(key) ?? { tokens: BURST, at: now, limited: 0 };
    // A clock that was set back adds no allowance.
    const added = (Math.max(0, now - known.at) / SECOND) * RESPONSES_PER_SECOND;
    const bucket = { tokens: Math.min(BURST, known.tokens + added), at: now, limited: known.limited };
    networks.set(key, bucket);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 'send';
    }
    bucket.limited += 1;
    return bucket.limited % SLIP === 0 ? 'truncate' : 'drop';
  };
};
