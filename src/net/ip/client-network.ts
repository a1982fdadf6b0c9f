/**
 * Derives the rate-limit key of an unauthenticated client: its IPv4 address, or its IPv6 /64, the usual allocation of
 * one host.
 */

import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

export const clientNetwork = (ip: string): string => {
  if (!isIPv6(ip)) return ip;
  const address = ipaddr.IPv6.parse(ip.replace(/%.*$/, ''));
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  const parts = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
};
