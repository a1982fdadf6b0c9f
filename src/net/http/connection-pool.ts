/**
 * HTTP connections that are kept, apart for each pool: one peer's effect on its connections does not reach another's. A
 * connection is used again only while its host still leads to the addresses it was made to.
 */

import type { LookupAddress } from 'node:dns';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { SECOND } from '../../kernel/clock.ts';

/** An idle connection is closed after this, whatever its server allows; servers commonly do so after 5 to 75 s. */
const IDLE_MS = 30 * SECOND;
/** Past it the pool that was used longest ago is closed. */
const MAX_POOLS = 2_000;

/** Where connections lead: the host of the URL, by the addresses that were checked. */
export interface Target {
  readonly protocol: string;
  /** With its port, where the URL has one. */
  readonly host: string;
  readonly hostname: string;
  readonly addresses: readonly string[];
}

export interface Connections {
  readonly agent: Agent;
  /** Connections made so far. A request during which it does not change went over a kept connection. */
  readonly made: number;
}

export interface ConnectionPools {
  /** The connections of `pool` to `target`. Those to an earlier target of the pool are closed once they are idle. */
  of(pool: string, target: Target): Connections;
  /** For one request; its agent is closed by the caller. */
  single(target: Target): Connections;
  /** Ends open requests too. */
  close(): void;
}

/** Gives the addresses that were checked, whatever name is asked for: DNS is not asked a second time. */
const pinnedTo = (addresses: readonly string[]): LookupFunction => {
  const found: LookupAddress[] = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_name, { all }, callback) => {
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
};

/** @param timeoutMs for one connection; a request's own deadline ends it earlier */
export const createConnectionPools = (secureContext: SecureContext | null, timeoutMs: number): ConnectionPools => {
  const pools = new BoundedMap<string, { connections: Connections; key: string }>(MAX_POOLS, ({ connections }) =>
    retire(connections),
  );

  const connectTo = ({ host, hostname, addresses }: Target): Connections => {
    const connect = buildConnector({
      allowH2: false,
      timeout: timeoutMs,
      autoSelectFamily: true,
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
          // RFC 6066 section 3: an address is no server name. Set here, so that no Host field can choose it.
          connect({ ...options, host, hostname, servername: isIP(hostname) === 0 ? hostname : '' }, callback);
        },
      }),
    };
    return connections;
  };

  /** Requests that are open go on, and their connections are closed with them. */
  const retire = ({ agent }: Connections): void => void agent.close().catch(() => undefined);

  return {
    of: (name, target) => {
      const key = [target.protocol, target.host, ...target.addresses.toSorted()].join(' ');
      const known = pools.use(name);
      if (known?.key === key) return known.connections;
      if (known) retire(known.connections);
      const connections = connectTo(target);
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
