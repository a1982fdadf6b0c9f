/** Queries DNS block lists (RFC 5782). */

import { isPrivateAddress } from '../ip/address-range.ts';
import type { Resolver } from './resolver.ts';
import { reversedAddress } from './reversed-address.ts';

/** An entry is an address in 127/8 (section 2.1); lists answer 127.255.255/24 to refuse a query. */
const isEntry = (address: string): boolean => address.startsWith('127.') && !address.startsWith('127.255.255.');

/** False too where the list fails, or the resolver's time ends. */
const isListed = async (ip: string, list: string, resolver: Resolver): Promise<boolean> => {
  try {
    return (await resolver.resolve(`${reversedAddress(ip).name}.${list}`, 'A')).some(isEntry);
  } catch {
    return false;
  }
};

const listsWith = async (ip: string, lists: readonly string[], resolver: Resolver): Promise<string[]> => {
  const listed = await Promise.all(lists.map((list) => isListed(ip, list, resolver)));
  return lists.filter((_, at) => listed[at]);
};

/**
 * Finds the lists that contain an address.
 * @param lists names, as `zen.example.org`
 * @returns the lists with an entry; a list that does not answer counts as none
 */
export const listedIn = async (ip: string, lists: readonly string[], resolver: Resolver): Promise<string[]> =>
  // Private addresses are never listed, and a list with a wildcard answer would reject the instance's own network.
  isPrivateAddress(ip) ? [] : listsWith(ip, lists, resolver);

/** The lists that answer this machine: each has the entry 127.0.0.2 for such a test (section 5). */
export const answeringLists = (lists: readonly string[], resolver: Resolver): Promise<string[]> =>
  listsWith('127.0.0.2', lists, resolver);
