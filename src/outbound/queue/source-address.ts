/** Selects the local address that a destination is connected to from. */

import { isIPv6 } from 'node:net';

const hash = (text: string): number => {
  let value = 0;
  for (const unit of text) value = (Math.imul(value, 31) + (unit.codePointAt(0) ?? 0)) >>> 0;
  return value;
};

/**
 * By a hash of the destination's name: a host sees one address, so that its reputation records stay together and cached
 * sessions can be reused.
 * @returns undefined: the system's choice
 */
export const selectSourceAddress =
  (addresses: readonly string[]) =>
  ({ name, address }: { name: string; address: string }): string | undefined => {
    const usable = addresses.filter((each) => isIPv6(each) === isIPv6(address));
    return usable[hash(name) % Math.max(usable.length, 1)];
  };
