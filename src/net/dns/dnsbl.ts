/** Queries DNS block lists (RFC 5782). */

import { isPrivateAddress } from '../ip/address-range.ts';
import type { Resolver } from './resolver.ts';
import { reversedAddress } from './reversed-address.ts';

/** An entry is an address in 127/8 (section 2.1); lists answer 127.255.255/24 to refuse a query. */
const isEntry = (address: string): boolean => address.startsWith('127.') && !address.startsWith('127.255.255.');

/**
 * Finds the lists that contain an address.
 * @param lists names, as `zen.example.org`
 * @returns the lists with an entry; a list that fails or exceeds the resolver's time-out counts as no result
 */
export const listedIn = async (ip: string, lists: readonly string[], resolver: Resolver): Promise<string[]> => {
  // Private addresses are never listed, and a list with a wildcard answer would reject the instance's own network.
  if (isPrivateAddress(ip)) return [];
  const { name } = reversedAddress(ip);
  const answers = await Promise.all(
    lists.map(async (list) => {
      try {
        const addresses = await resolver.resolve(`${name}.${list}`, 'A');
        return addresses.some(isEntry) ? [list] : [];
      } catch {
        return [];
      }
    }),
  );
  return answers.flat();
};
