/** Addresses of tests. */

import { type Address, parseAddress } from '../../src/kernel/address.ts';

/** @throws Error where the text is no address */
export const addressFrom = (text: string): Address => {
  const parsed = parseAddress(text);
  if (!parsed) throw new Error(`${text} is no address`);
  return parsed;
};
