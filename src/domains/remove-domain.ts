/** Removal of a custom domain. */

import { deleteDomain } from '../store/accounts/domain-claims.ts';
import { findSubdomain, type ListedDomain } from '../store/accounts/domains.ts';
import type { Tx } from '../store/store.ts';

/** Deletes a custom domain without live mailboxes. */
export const removeDomain = async (tx: Tx, { id, workspaceId }: ListedDomain): Promise<void> => {
  const own = workspaceId && (await findSubdomain(tx.db, workspaceId));
  if (!own) throw new Error('The domain is the instance’s own.');
  await deleteDomain(tx, id, own.id);
};
