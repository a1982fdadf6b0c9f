/** Which of our addresses a host sees. */

import { isIPv6 } from 'node:net';

const hashOf = (text: string): number => {
  let hash = 0;
  for (const unit of text) hash = (Math.imul(hash, 31) + (unit.codePointAt(0) ?? 0)) >>> 0;
  return hash;
};

/**
 * A host always sees the same one, so that what it thinks of us belongs together, and sessions can be kept.
 * @returns undefined: the system's choice
 */
export const selectSourceAddress =
  (addresses: readonly string[]) =>
  ({ name, address }: { name: string; address: string }): string | undefined => {
    const usable = addresses.filter((each) => isIPv6(each) === isIPv6(address));
    return usable[hashOf(name) % Math.max(usable.length, 1)];
  };
