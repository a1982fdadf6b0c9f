/** DNS block lists (RFC 5782): whether an address is on any of some. */

import { isPrivateAddress } from '../ip/address-range.ts';
import type { Resolver } from './resolver.ts';
import { reversedAddress } from './reversed-address.ts';

/** An entry is an address in 127/8 (section 2.1); lists answer from 127.255.255/24 to say that they will not answer. */
const isEntry = (address: string): boolean => address.startsWith('127.') && !address.startsWith('127.255.255.');

/**
 * The lists that have an address.
 * @param lists names, as `zen.example.org`
 * @returns those that say so; one that is down or does not answer in the resolver's time says nothing
 */
export const listedIn = async (ip: string, lists: readonly string[], resolver: Resolver): Promise<string[]> => {
  // Nobody lists these, and a list that answers for everything would refuse the box's own network.
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
