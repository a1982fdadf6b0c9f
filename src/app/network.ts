/** Network access of all parts: DNS, the guarded HTTP client, the listeners' certificate. */

import type { Config } from '../config/config.ts';
import { SECOND } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { createDnssecResolver } from '../net/dns/dnssec-resolver.ts';
import { createResolver } from '../net/dns/resolver.ts';
import { findCheckedAddresses } from '../net/http/checked-address.ts';
import { createGuardedHttp } from '../net/http/guarded-client.ts';
import { cidrMatcher } from '../net/ip/address-range.ts';
import type { Runtime } from './instance.ts';
import { readExtraCa } from './tls/certificates.ts';
import { createListenerTls } from './tls/listener-tls.ts';

/** Lifetime and number of cached DNS answers. A minute is shorter than most TTLs. */
const DNS_CACHE = { maxEntries: 10_000, positiveMs: 60 * SECOND, negativeMs: 30 * SECOND };
const DNS_TIME_OUT_MS = 5 * SECOND;

export type Network = Awaited<ReturnType<typeof createNetwork>>;

/** @throws {StartError} for certificates that cannot be read */
export const createNetwork = async (config: Config, log: Log, runtime: Runtime) => {
  const { clock } = runtime;
  const { certificate, acme } = await createListenerTls(config, log, runtime);
  const extraCa = readExtraCa(config);
  const servers = config.dns.resolvers;
  const resolver = createResolver({ servers, timeoutMs: DNS_TIME_OUT_MS, cache: DNS_CACHE, clock });
  const isAllowedPrivate = cidrMatcher(config.network.allow_private);
  const guardedHttp = createGuardedHttp({ resolver, isAllowedPrivate, extraCa });
  const reload = () => certificate?.check();
  return {
    certificate,
    acme,
    extraCa,
    resolver,
    dnssecResolver: createDnssecResolver({ servers, clock }),
    isAllowedPrivate,
    request: guardedHttp.request,
    findAddresses: (url: URL) => findCheckedAddresses({ resolver, isAllowedPrivate }, url),
    start: () => void process.on('SIGHUP', reload),
    stop: () => {
      process.off('SIGHUP', reload);
      certificate?.close();
      guardedHttp.close();
    },
  };
};
