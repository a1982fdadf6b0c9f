/** Owners: persons who sign in, each with one address and any number of workspaces. */

import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { OwnerId, WorkspaceId } from '../../kernel/ids.ts';
import { workspaces } from '../accounts/accounts-mappings.ts';
import type { Workspace } from '../accounts/workspaces.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
import { owners, workspaceOwners } from './owners-mappings.ts';

export type Owner = Entity<typeof owners>;

const insert = preparedInsert(owners, (conflict) => conflict.doNothing());

/** Inserts the owner, or finds the one of that address. */
export const ensureOwner = async (tx: Tx, known: Omit<Owner, 'setUpAwayAt'>): Promise<Owner> => {
  const owner = { ...known, setUpAwayAt: null };
  await insert(tx, owner);
  return (await findOwner(tx.db, owner.email)) ?? owner;
};

export const findOwner = async (db: Db, email: Address): Promise<Owner | null> => {
  const row = await db.selectFrom('owners').selectAll().where('email', '=', email).executeTakeFirst();
  return row ? owners.read(row) : null;
};

export const findOwnerById = async (db: Db, id: OwnerId): Promise<Owner | null> => {
  const row = await db.selectFrom('owners').selectAll().where('id', '=', toBlob(id)).executeTakeFirst();
  return row ? owners.read(row) : null;
};

export const setOwnerVerified = async (tx: Tx, id: OwnerId, now: Millis): Promise<void> => {
  await tx.db
    .updateTable('owners')
    .set({ verified_at: now })
    .where('id', '=', toBlob(id))
    .where('verified_at', 'is', null)
    .execute();
};

export const putSetUpAway = async (tx: Tx, email: Address, now: Millis): Promise<void> => {
  await tx.db
    .updateTable('owners')
    .set({ set_up_away_at: now })
    .where('email', '=', email)
    .where('set_up_away_at', 'is', null)
    .execute();
};

/** Whether an owner has a workspace; without one it is no owner any more. */
export const hasWorkspace = async (db: Db, ownerId: OwnerId): Promise<boolean> => {
  const row = await db
    .selectFrom('workspace_owners')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_owners.workspace_id')
    .select('workspaces.id')
    .where('workspace_owners.owner_id', '=', toBlob(ownerId))
    .where('workspaces.removed_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
};

const insertOwnership = preparedInsert(workspaceOwners, (conflict) => conflict.doNothing());

/** @returns false where the owner has the workspace already */
export const addWorkspaceOwner = async (
  tx: Tx,
  workspaceId: WorkspaceId,
  ownerId: OwnerId,
  now: Millis,
): Promise<boolean> => (await insertOwnership(tx, { workspaceId, ownerId, createdAt: now })) > 0;

/** @returns false where the owner does not have the workspace */
export const removeWorkspaceOwner = async (tx: Tx, workspaceId: WorkspaceId, ownerId: OwnerId): Promise<boolean> => {
  const result = await tx.db
    .deleteFrom('workspace_owners')
    .where('workspace_id', '=', toBlob(workspaceId))
    .where('owner_id', '=', toBlob(ownerId))
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
};

export const removeWorkspaceOwners = async (tx: Tx, workspaceId: WorkspaceId): Promise<void> => {
  await tx.db.deleteFrom('workspace_owners').where('workspace_id', '=', toBlob(workspaceId)).execute();
};

export type WorkspaceOwner = Owner & { workspaceId: WorkspaceId };

/** A workspace's owners, or with null those of every one; who was added first comes first. */
export const listWorkspaceOwners = async (db: Db, workspaceId: WorkspaceId | null): Promise<WorkspaceOwner[]> => {
  let query = db
    .selectFrom('workspace_owners')
    .innerJoin('owners', 'owners.id', 'workspace_owners.owner_id')
    .select(owners.qualifiedNames)
    .select('workspace_owners.workspace_id')
    .orderBy('workspace_owners.created_at')
    .orderBy('owners.email');
  if (workspaceId) query = query.where('workspace_owners.workspace_id', '=', toBlob(workspaceId));
  return (await query.execute()).map((row) => ({
    ...owners.read(row),
    workspaceId: workspaceOwners.columns.workspaceId.fromStored(row.workspace_id),
  }));
};

/** The owner's workspaces that are not removed, the oldest first. */
export const listWorkspacesOf = async (db: Db, ownerId: OwnerId): Promise<Workspace[]> => {
  const rows = await db
    .selectFrom('workspace_owners')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_owners.workspace_id')
    .select(workspaces.qualifiedNames)
    .where('workspace_owners.owner_id', '=', toBlob(ownerId))
    .where('workspaces.removed_at', 'is', null)
    .orderBy('workspaces.created_at')
    .execute();
  return rows.map(workspaces.read);
};
