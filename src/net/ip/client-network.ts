/**
 * Derives the rate-limit key of an unauthenticated client: its IPv4 address, or its IPv6 /64, the usual allocation of
 * one host.
 */

import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Some proxies write the client's port behind its address in X-Forwarded-For: it is another with each connection. */
const withoutPort = (ip: string): string => ip.replace(/^(\d+(?:\.\d+){3}):\d+$|^\[(.+)\](?::\d+)?$/, '$1$2');

const toNetwork = (given: string, parts: 3 | 4): string => {
  const ip = withoutPort(given);
  if (!isIPv6(ip)) return ip;
  const address = ipaddr.IPv6.parse(ip.replace(/%.*$/, ''));
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  const prefix = address.parts.slice(0, parts).map((part) => part.toString(16));
  return `${prefix.join(':')}::/${parts * 16}`;
};

export const clientNetwork = (ip: string): string => toNetwork(ip, 4);

/** The site of a network: its IPv4 address, or its IPv6 /48, the allocation of one customer (RFC 6177). */
export const siteOf = (network: string): string => toNetwork(network.replace(/\/64$/, ''), 3);
