/**
 * Which addresses a URL leads to, and whether they may be reached from here. Every outward HTTP request of the product
 * asks this first: a stranger's URL, or the DNS behind it, shall not point us into the network we stand in.
 */

import { isIP } from 'node:net';
import { lookUpHost } from '../dns/mx.ts';
import type { Resolver } from '../dns/resolver.ts';
import { isPrivateAddress } from '../ip/address-range.ts';

export interface CheckedAddressNeeds {
  resolver: Resolver;
  /** Private addresses that may be reached all the same: `[network] allow_private`. */
  isAllowedPrivate: (ip: string) => boolean;
}

export type CheckedAddresses =
  /** At least one, each of them checked. */
  | { readonly kind: 'found'; readonly addresses: readonly string[] }
  /** At least one address is not of the public internet: then none is used. */
  | { readonly kind: 'private' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** RFC 6761 section 6.3: loopback, whatever DNS says. */
const isLocalhost = (host: string): boolean => /^(.*\.)?localhost\.?$/i.test(host);

/** The host of a URL as DNS and sockets take it: an IPv6 address stands there in brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

const lookUp = async (host: string, resolver: Resolver) => {
  if (isIP(host) !== 0) return { addresses: [host], failure: null };
  if (isLocalhost(host)) return { addresses: ['127.0.0.1'], failure: null };
  return lookUpHost(host.replace(/\.$/, ''), resolver);
};

/** Asks DNS once; whoever connects takes the addresses that are returned and asks no more. */
export const findCheckedAddresses = async (
  { resolver, isAllowedPrivate }: CheckedAddressNeeds,
  url: URL,
): Promise<CheckedAddresses> => {
  const host = hostOf(url);
  const { addresses, failure } = await lookUp(host, resolver);
  if (addresses.some((each) => isPrivateAddress(each) && !isAllowedPrivate(each))) return { kind: 'private' };
  if (addresses.length === 0) return { kind: 'unknown', reason: failure ?? `${host} has no address` };
  return { kind: 'found', addresses };
};
