/** Finds owners' addresses at domains that this instance receives for. */

import { sql } from 'kysely';
import { type Address, type DomainName, domainOf, isAddressOf, isWithin } from '../../kernel/address.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { isLive } from '../accounts/live-domain-mappings.ts';
import { findRecipient } from '../accounts/recipient-lookup.ts';
import type { Workspace } from '../accounts/workspaces.ts';
import type { Db } from '../store.ts';
import { listWorkspaceOwners } from './owners.ts';

/** Whether mailboxes receive on a domain: also on a failing one. */
const isReceivingDomain = async (db: Db, name: DomainName): Promise<boolean> => {
  const row = await db
    .selectFrom('domains')
    .select('id')
    .where('name', '=', name)
    .where((eb) => eb.or([eb('kind', '!=', sql.lit('custom')), eb('status', '!=', sql.lit('pending'))]))
    .where('receives', '=', 1)
    .where(isLive)
    .executeTakeFirst();
  return row !== undefined;
};

/** Whether a workspace that is not removed has an owner of that address. */
export const isOwnerAddress = async (db: Db, email: Address): Promise<boolean> => {
  const row = await db
    .selectFrom('owners')
    .innerJoin('workspace_owners', 'workspace_owners.owner_id', 'owners.id')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_owners.workspace_id')
    .select('owners.id')
    .where('owners.email', '=', email)
    .where('workspaces.removed_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
};

/**
 * Whether mail to the address stays within the instance. A pending claim proves nothing, so it blocks no link or
 * notice to an owner.
 */
export const isOwnAddress = async (db: Db, address: Address, baseDomain: string): Promise<boolean> => {
  const domain = domainOf(address);
  if (isWithin(domain, baseDomain) || (await isReceivingDomain(db, domain))) return true;
  // At a domain that sends alone, the addresses of its agents.
  return (await findRecipient(db, address)) !== null;
};

/**
 * The address for notices about a workspace: of its owners, the named one, else the first with an address outside the
 * instance. Null without an owner: the address of a signup is unproven.
 */
export const findNoticeAddress = async (
  db: Db,
  { id, ownerEmail, removedAt }: Workspace,
  baseDomain: string,
): Promise<string | null> => {
  if (removedAt !== null) return null;
  const owners = await listWorkspaceOwners(db, id);
  const named = owners.find(({ email }) => isAddressOf(ownerEmail, email)) ?? owners[0];
  if (!named) return null;
  for (const { email } of [named, ...owners.filter((each) => each !== named)]) {
    if (!(await isOwnAddress(db, email, baseDomain))) return isAddressOf(ownerEmail, email) ? ownerEmail : email;
  }
  return named.email;
};

export const listOwnersOn = async (db: Db, workspaceId: WorkspaceId, name: DomainName): Promise<Address[]> =>
  (await listWorkspaceOwners(db, workspaceId)).map(({ email }) => email).filter((email) => domainOf(email) === name);
