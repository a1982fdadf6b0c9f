/**
 * Keep-alive HTTP connections in isolated pools: a peer affects only its own connections. A connection is reused only
 * while its host still resolves to the same addresses.
 */

import type { LookupAddress } from 'node:dns';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { SECOND } from '../../kernel/clock.ts';
import { BY_ADDRESS } from './by-address.ts';

/** Idle connections close after this, whatever their server permits; servers commonly close after 5 to 75 s. */
const IDLE_MS = 30 * SECOND;
/** Beyond it the least recently used pool is closed. */
const MAX_POOLS = 2_000;

/** The destination of connections: the URL's host with its checked addresses. */
export interface Destination {
  readonly protocol: string;
  /** With its port, where the URL has one. */
  readonly host: string;
  readonly hostname: string;
  readonly addresses: readonly string[];
}

export interface Connections {
  readonly agent: Agent;
  /** Number of opened connections; a request that leaves it unchanged reused one. */
  readonly made: number;
}

export interface ConnectionPools {
  /** Returns the connections of `pool` to `destination`. Those to an earlier destination of the pool close once idle. */
  of(pool: string, destination: Destination): Connections;
  /** For one request; the caller closes its agent. */
  single(destination: Destination): Connections;
  /** Aborts open requests too. */
  close(): void;
}

/** Resolves every name to the checked addresses, without a second DNS query. */
const pinnedTo = (addresses: readonly string[]): LookupFunction => {
  const found: LookupAddress[] = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_name, { all }, callback) => {
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
};

/** @param timeoutMs per connection; a request's own deadline may end it earlier */
export const createConnectionPools = (secureContext: SecureContext | null, timeoutMs: number): ConnectionPools => {
  const pools = new BoundedMap<string, { connections: Connections; key: string }>(MAX_POOLS, ({ connections }) =>
    retire(connections),
  );

  const connectTo = ({ host, hostname, addresses }: Destination): Connections => {
    const connect = buildConnector({
      allowH2: false,
      timeout: timeoutMs,
      ...BY_ADDRESS,
      lookup: pinnedTo(addresses),
      ...(secureContext && { secureContext }),
    });
    const connections = {
      made: 0,
      agent: new Agent({
        pipelining: 1,
        keepAliveTimeout: IDLE_MS,
        keepAliveMaxTimeout: IDLE_MS,
        connect: (options, callback) => {
          connections.made += 1;
          // RFC 6066 section 3: SNI holds no address. Set explicitly, so that a Host field does not determine it.
          connect({ ...options, host, hostname, servername: isIP(hostname) === 0 ? hostname : '' }, callback);
        },
      }),
    };
    return connections;
  };

  /** Open requests complete before their connections close. */
  const retire = ({ agent }: Connections): void => void agent.close().catch(() => undefined);

  return {
    of: (name, destination) => {
      const key = [destination.protocol, destination.host, ...destination.addresses.toSorted()].join(' ');
      const known = pools.use(name);
      if (known?.key === key) return known.connections;
      if (known) retire(known.connections);
      const connections = connectTo(destination);
      pools.set(name, { connections, key });
      return connections;
    },
    single: connectTo,
    close: () => {
      for (const { connections } of pools.values()) void connections.agent.destroy();
      pools.clear();
    },
  };
};
