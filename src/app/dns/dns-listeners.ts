/** The authoritative DNS server of the base domain's zone, where `[dns.server] listen` names addresses. */

import type { Config } from '../../config/config.ts';
import { SECOND } from '../../kernel/clock.ts';
import { cidrMatcher } from '../../net/ip/address-range.ts';
import { type Binding, toBindings } from '../../net/ip/bindings.ts';
import { createChallenges } from '../../transports/dns/challenges.ts';
import { createDnsServer, type Respond } from '../../transports/dns/dns-server.ts';
import { listenTcp, type TcpListener } from '../../transports/dns/tcp-listener.ts';
import { listenUdp, type UdpListener } from '../../transports/dns/udp-listener.ts';
import { createZone } from '../../transports/dns/zone.ts';
import { formatServerAddress } from '../../transports/http/http-server.ts';
import type { Processing } from '../processing.ts';
import { cannotListen } from '../start-error.ts';
import type { Storage } from '../storage.ts';
import { createFindRecords } from './zone-records.ts';

/** A free UDP port may be taken for TCP. */
const MAX_PORT_ATTEMPTS = 10;
export interface DnsParts {
  storage: Storage;
  processing: Processing;
}

interface Listening {
  udp: UdpListener;
  tcp: TcpListener;
}

export const createDnsListeners = (config: Config, { storage, processing }: DnsParts) => {
  const { base_domain: baseDomain, hostname, dns } = config;
  const { clock, random } = storage.runtime;
  const { budget, onError } = processing;
  const challenges = createChallenges(baseDomain);
  const zone = createZone({
    baseDomain,
    hostname,
    hostAddresses: dns.server.host_addresses,
    serial: Math.floor(clock.now() / SECOND),
    findRecords: createFindRecords(config, storage),
    challengesAt: challenges.at,
    challengeNames: challenges.names,
  });
  const respond = createDnsServer({ zone, clock, random, onError });
  const tcp = { respond, pool: budget.dnsConnections, isExempt: cidrMatcher(config.smtp.trusted), clock };
  const open: Listening[] = [];

  return {
    /** `host:port` of each listener, once started. */
    get addresses(): string[] {
      return open.map(({ tcp }) => formatServerAddress(tcp.server));
    },
    challenges,
    start: async () => {
      for (const address of toBindings(dns.server.listen)) {
        open.push(await listenOn(address, respond, (at) => listenTcp(tcp, at)));
      }
    },
    stop: async () => {
      await Promise.all(open.splice(0).flatMap(({ udp, tcp }) => [udp.close(), tcp.close()]));
    },
  };
};

/**
 * Listens on the same port over UDP and TCP.
 * @throws {StartError} where it cannot
 */
const listenOn = async (
  address: Binding,
  respond: Respond,
  listenOverTcp: (address: Binding) => Promise<TcpListener>,
): Promise<Listening> => {
  for (let attempt = 1; ; attempt += 1) {
    let udp: UdpListener | null = null;
    try {
      udp = await listenUdp(respond, address);
      return { udp, tcp: await listenOverTcp({ ...address, port: udp.port }) };
    } catch (cause) {
      await udp?.close();
      if (address.port === 0 && udp && attempt < MAX_PORT_ATTEMPTS) continue;
      throw cannotListen(address, cause);
    }
  }
};
