/** Classifies IP addresses: public unicast, and membership in a list of networks. */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Parsed = ipaddr.IPv4 | ipaddr.IPv6;

/** Validates by node:net, because ipaddr.js also accepts `0x7f.1` and `2130706433`. */
const parse = (ip: string): Parsed | null => (isIP(ip) === 0 ? null : ipaddr.parse(ip.replace(/%.*$/, '')));

const ipv4From = (bytes: readonly number[], at: number): ipaddr.IPv4 => new ipaddr.IPv4(bytes.slice(at, at + 4));

/**
 * Extracts the IPv4 address to which packets for an IPv6 address are delivered: IPv4-mapped (RFC 4291 section 2.5.5.2),
 * IPv4-translated (RFC 2765 section 2.1), NAT64 (RFC 6052 section 2.1) and 6to4 (RFC 3056 section 2).
 */
const embeddedIpv4 = (address: ipaddr.IPv6): ipaddr.IPv4 | null => {
  const bytes = address.toByteArray();
  const range = address.range();
  if (range === '6to4') return ipv4From(bytes, 2);
  return range === 'ipv4Mapped' || range === 'rfc6145' || range === 'rfc6052' ? ipv4From(bytes, 12) : null;
};

/** RFC 8215: local NAT64, with a prefix of any length around 96 bits. */
const LOCAL_NAT64 = ipaddr.parseCIDR('64:ff9b:1::/48');
/** RFC 4291 section 2.4: the allocated part of global unicast; the rest is reserved. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

const isPublic = (address: Parsed): boolean => {
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast';
  if (address.match(LOCAL_NAT64)) return false;
  const embedded = embeddedIpv4(address);
  return embedded ? isPublic(embedded) : address.range() === 'unicast' && address.match(GLOBAL_UNICAST);
};

/**
 * Whether an address is not public unicast: private, loopback, link-local, shared (RFC 6598), multicast, unspecified,
 * reserved or for documentation, also when embedded in an IPv6 form. Invalid text counts as private, so that no
 * connection is made to it.
 */
export const isPrivateAddress = (ip: string): boolean => {
  const address = parse(ip);
  return address === null || !isPublic(address);
};

type Network = readonly [Parsed, number];

const parseNetwork = (cidr: string): Network => {
  const address = parse(cidr.split('/', 1)[0] ?? '');
  if (address === null) throw new TypeError(`Not an IP network: ${cidr}`);
  return cidr.includes('/') ? ipaddr.parseCIDR(cidr) : [address, address.toByteArray().length * 8];
};

/** Unwraps an IPv4-mapped address, the form of an IPv4 peer on a dual-stack socket. */
const unmapped = (address: Parsed): Parsed =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;

/**
 * Creates a test for membership in any of the networks.
 * @param cidrs as "10.0.0.0/8"; an address alone is a network of one
 * @throws {TypeError} for an invalid network
 */
export const cidrMatcher = (cidrs: readonly string[]): ((ip: string) => boolean) => {
  const networks = cidrs.map(parseNetwork);
  return (ip) => {
    const parsed = parse(ip);
    if (parsed === null) return false;
    const address = unmapped(parsed);
    return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  };
};
