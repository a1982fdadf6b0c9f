/** By what a client without a key is counted: its IPv4 address, or the /64 that one IPv6 host is given as a whole. */

import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

export const clientNetwork = (ip: string): string => {
  if (!isIPv6(ip)) return ip;
  const address = ipaddr.IPv6.parse(ip.replace(/%.*$/, ''));
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  const parts = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
};
