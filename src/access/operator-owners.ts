/** Which owners see the state of the instance, and which count as its operator. */

import { type Address, isAddressOf } from '../kernel/address.ts';
import { emailOfOwner, type OwnerCaller } from '../kernel/caller.ts';
import { findWorkspaceById } from '../store/accounts/workspaces.ts';
import type { Store } from '../store/store.ts';

/** A signup's workspace is a guest of the instance and does not see its state. */
export const isOfOperator = async (store: Store, { workspaceId }: OwnerCaller): Promise<boolean> =>
  (await findWorkspaceById(store.read, workspaceId))?.claimHash === null;

/** Without an operator's address in the config, owners of the operator's workspaces count as the operator. */
export const isOperator = (address: Address | null, caller: OwnerCaller): boolean =>
  address === null || isAddressOf(address, emailOfOwner(caller));
