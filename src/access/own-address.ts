/** Addresses at which this instance receives: an agent may read their mail, so they prove no person. */

import { type Address, addressKey } from '../kernel/address.ts';
import { ApiError } from '../kernel/errors.ts';
import { isOwnAddress, isOwnerAddress } from '../store/owners/own-addresses.ts';
import type { Db } from '../store/store.ts';

/** @throws ApiError invalid_email */
export const requireForeignAddress = async (db: Db, address: Address, baseDomain: string): Promise<void> => {
  if (!(await isOwnAddress(db, address, baseDomain))) return;
  const hint = `${address} is an address of this service, where an agent may read it. An owner has one elsewhere.`;
  throw new ApiError('invalid_email', { hint });
};

/**
 * Refuses an address that an owner signs in by: an agent would read what is mailed to the person.
 * @throws ApiError invalid_handle
 */
export const requireNoOwner = async (db: Db, address: Address): Promise<void> => {
  if (!(await isOwnerAddress(db, addressKey(address)))) return;
  throw new ApiError('invalid_handle', { hint: `${address} is the address of an owner. Take another handle.` });
};
