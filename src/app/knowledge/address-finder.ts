/** Checks the host of a URL without the daemon's network: for the command line. */

import { SECOND } from '../../kernel/clock.ts';
import { createResolver } from '../../net/dns/resolver.ts';
import { type CheckedAddresses, findCheckedAddresses } from '../../net/http/checked-address.ts';
import { cidrMatcher } from '../../net/ip/address-range.ts';
import type { Instance } from '../instance.ts';

const CACHE = { maxEntries: 100, positiveMs: 60 * SECOND, negativeMs: 30 * SECOND };
const TIME_OUT_MS = 5 * SECOND;

export const createAddressFinder = ({
  config: { dns, network },
  runtime: { clock },
}: Pick<Instance, 'config' | 'runtime'>): ((url: URL) => Promise<CheckedAddresses>) => {
  const resolver = createResolver({ servers: dns.resolvers, timeoutMs: TIME_OUT_MS, cache: CACHE, clock });
  return (url) => findCheckedAddresses({ resolver, isAllowedPrivate: cidrMatcher(network.allow_private) }, url);
};
