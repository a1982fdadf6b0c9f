/** The name that an address points back to (RFC 1035 section 3.5): evidence, never proof. */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isNoRecord, type Resolver } from './resolver.ts';
import { reversedAddress } from './reversed-address.ts';

/** The name that PTR is asked for. */
const arpaName = (ip: string): string => {
  const { name, family } = reversedAddress(ip);
  return `${name}.${family === 'ipv4' ? 'in-addr' : 'ip6'}.arpa`;
};

/** `unconfirmed`: the name does not lead back to the address. `unknown`: DNS does not say, or not in time. */
export type Iprev =
  | { readonly state: 'confirmed' | 'unconfirmed'; readonly name: string }
  | { readonly state: 'none' | 'unknown'; readonly name: null };

/** Names of one address that are tried; an address with more is not better known. */
const MAX_NAMES = 3;

const leadsTo = async (name: string, ip: string, resolver: Resolver): Promise<boolean> => {
  const address = ipaddr.process(ip.replace(/%.*$/, ''));
  const found = await resolver.resolve(name, address.kind() === 'ipv4' ? 'A' : 'AAAA').catch((): string[] => []);
  return found.some((each) => isIP(each) !== 0 && ipaddr.process(each).toString() === address.toString());
};

/** The name of an address, and whether it leads back to it (RFC 8601 section 2.7.3 calls that iprev). Never rejects. */
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
