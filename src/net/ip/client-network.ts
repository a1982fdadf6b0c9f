/**
 * Derives the rate-limit key of an unauthenticated client: its IPv4 address, or its IPv6 /64, the usual allocation of
 * one host.
 */

import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

const toNetwork = (ip: string, parts: 3 | 4): string => {
  if (!isIPv6(ip)) return ip;
  const address = ipaddr.IPv6.parse(ip.replace(/%.*$/, ''));
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  const prefix = address.parts.slice(0, parts).map((part) => part.toString(16));
  return `${prefix.join(':')}::/${parts * 16}`;
};

export const clientNetwork = (ip: string): string => toNetwork(ip, 4);

/** The site of a network: its IPv4 address, or its IPv6 /48, the allocation of one customer (RFC 6177). */
export const siteOf = (network: string): string => toNetwork(network.replace(/\/64$/, ''), 3);
