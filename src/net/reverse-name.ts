/** The name that an address points back to (RFC 1035 section 3.5): evidence for the Received field, never proof. */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Resolver } from './resolver.ts';

/** The name that PTR is asked for. */
const arpaName = (ip: string): string => {
  const address = ipaddr.process(ip.replace(/%.*$/, ''));
  if (address.kind() === 'ipv4') return `${address.toByteArray().reverse().join('.')}.in-addr.arpa`;
  const nibbles = address.toByteArray().flatMap((byte) => [byte >> 4, byte & 15]);
  return `${nibbles.reverse().map((nibble) => nibble.toString(16)).join('.')}.ip6.arpa`;
};

/** @returns null where there is none, or DNS does not say */
export const reverseName = async (ip: string, resolver: Resolver): Promise<string | null> => {
  if (isIP(ip) === 0) return null;
  try {
    return (await resolver.resolve(arpaName(ip), 'PTR'))[0] ?? null;
  } catch {
    return null;
  }
};
