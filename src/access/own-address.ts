/** Addresses at which the instance itself receives: who reads one may be an agent, and proves no person. */

import { type Address, domainOf, isWithin } from '../kernel/address.ts';
import { ApiError } from '../kernel/errors.ts';
import { isOwnDomain } from '../store/accounts/recipient-lookup.ts';
import type { Db } from '../store/store.ts';

/** Whether mail to the address stays within the instance, whoever has it, or may come to have it. */
export const isOwnAddress = async (db: Db, address: Address, baseDomain: string): Promise<boolean> => {
  const domain = domainOf(address);
  return isWithin(domain, baseDomain) || (await isOwnDomain(db, domain));
};

/** @throws ApiError invalid_email */
export const requireForeignAddress = async (db: Db, address: Address, baseDomain: string): Promise<void> => {
  if (!(await isOwnAddress(db, address, baseDomain))) return;
  const hint = `${address} is an address of this service, where an agent may read it. An owner has one elsewhere.`;
  throw new ApiError('invalid_email', { hint });
};
