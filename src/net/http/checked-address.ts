/**
 * Resolves the addresses of a URL and checks that they are public. Runs before every outward HTTP request: untrusted
 * URLs and their DNS must not reach into the network of the instance.
 */

import { isIP } from 'node:net';
import { resolveHost } from '../dns/mx.ts';
import type { Resolver } from '../dns/resolver.ts';
import { cidrMatcher, isPrivateAddress } from '../ip/address-range.ts';
import { listInterfaceAddresses } from '../ip/own-addresses.ts';

export interface CheckedAddressNeeds {
  resolver: Resolver;
  /** Private addresses that are permitted: `[network] allow_private`. */
  isAllowedPrivate: (ip: string) => boolean;
}

export type CheckedAddresses =
  /** At least one, all of them checked. */
  | { readonly kind: 'found'; readonly addresses: readonly string[] }
  /** At least one address is not public, or the machine's own: none is used. */
  | { readonly kind: 'private' }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * Metadata services, which give the machine's credentials to any local request: AWS, Azure, Google and most others;
 * the wire server of Azure; AWS by IPv6; Alibaba; Oracle. Refused even if `allow_private` contains them.
 */
const isMetadataService = cidrMatcher([
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::a9fe:a9fe',
]);

/** The machine's own address, even a public one, passes its firewall. */
const isOwnPublic = (ip: string): boolean => cidrMatcher(listInterfaceAddresses())(ip);

/** RFC 6761 section 6.3: loopback, whatever DNS answers. */
const isLocalhost = (host: string): boolean => /^(.*\.)?localhost\.?$/i.test(host);

/** Returns the host of a URL for DNS and sockets: an IPv6 address without its brackets. */
export const toSocketHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

const lookUp = async (host: string, resolver: Resolver) => {
  if (isIP(host) !== 0) return { addresses: [host], failure: null };
  if (isLocalhost(host)) return { addresses: ['127.0.0.1'], failure: null };
  return resolveHost(host.replace(/\.$/, ''), resolver);
};

/** Resolves once; the connection must use the returned addresses without another query. */
export const findCheckedAddresses = async (
  { resolver, isAllowedPrivate }: CheckedAddressNeeds,
  url: URL,
): Promise<CheckedAddresses> => {
  const host = toSocketHost(url);
  const { addresses, failure } = await lookUp(host, resolver);
  const isRefused = (ip: string): boolean =>
    isMetadataService(ip) || ((isPrivateAddress(ip) || isOwnPublic(ip)) && !isAllowedPrivate(ip));
  if (addresses.some(isRefused)) return { kind: 'private' };
  if (addresses.length === 0) return { kind: 'unknown', reason: failure ?? `${host} has no address` };
  return { kind: 'found', addresses };
};
