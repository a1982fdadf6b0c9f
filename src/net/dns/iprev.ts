/** Reverse DNS check of a client address (iprev, RFC 8601 section 2.7.3): evidence, not authentication. */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isNoRecord, type Resolver } from './resolver.ts';
import { arpaName } from './reversed-address.ts';

/** `unconfirmed`: the name does not resolve to the address. `unknown`: DNS failed or timed out. */
export type Iprev =
  | { readonly state: 'confirmed' | 'unconfirmed'; readonly name: string }
  | { readonly state: 'none' | 'unknown'; readonly name: null };

/** PTR names that are checked; further ones add no evidence. */
const MAX_NAMES = 3;

const leadsTo = async (name: string, ip: string, resolver: Resolver): Promise<boolean> => {
  const address = ipaddr.process(ip.replace(/%.*$/, ''));
  const found = await resolver.resolve(name, address.kind() === 'ipv4' ? 'A' : 'AAAA').catch((): string[] => []);
  return found.some((each) => isIP(each) !== 0 && ipaddr.process(each).toString() === address.toString());
};

/** Resolves the host name of an address and verifies that it resolves back (FCrDNS). Never rejects. */
export const checkIprev = async (ip: string, resolver: Resolver): Promise<Iprev> => {
  if (isIP(ip) === 0) return { state: 'unknown', name: null };
  try {
    const names = (await resolver.resolve(arpaName(ip), 'PTR')).slice(0, MAX_NAMES);
    for (const name of names) {
      if (await leadsTo(name, ip, resolver)) return { state: 'confirmed', name };
    }
    const [first] = names;
    return first === undefined ? { state: 'none', name: null } : { state: 'unconfirmed', name: first };
  } catch (error) {
    return { state: isNoRecord(error) ? 'none' : 'unknown', name: null };
  }
};
