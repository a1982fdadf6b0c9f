/** Owners: persons who sign in, each with one address and any number of workspaces. */

import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { idToBytes, type OwnerId, type WorkspaceId } from '../../kernel/ids.ts';
import { workspaces } from '../accounts/accounts-mappings.ts';
import type { Workspace } from '../accounts/workspaces.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert, preparedInsertNew } from '../prepared-insert.ts';
import { deleteAndCount, deleteRows, findRow, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { owners, workspaceOwners } from './owners-mappings.ts';

export type Owner = Entity<typeof owners>;

const insert = preparedInsert(owners, (conflict) => conflict.doNothing());

/** Inserts the owner, or finds the one of that address. */
export const ensureOwner = async (tx: Tx, known: Omit<Owner, 'setUpAwayAt'>): Promise<Owner> => {
  const owner = { ...known, setUpAwayAt: null };
  await insert(tx, owner);
  return (await findOwner(tx.db, owner.email)) ?? owner;
};

export const findOwner = (db: Db, email: Address): Promise<Owner | null> => findRow(db, owners, { email });

export const findOwnerById = (db: Db, id: OwnerId): Promise<Owner | null> => findRow(db, owners, { id });

export const setOwnerVerified = (tx: Tx, id: OwnerId, now: Millis): Promise<void> =>
  updateRows(tx, owners, { id, verifiedAt: null }, { verifiedAt: now });

export const putSetUpAway = (tx: Tx, email: Address, now: Millis): Promise<void> =>
  updateRows(tx, owners, { email, setUpAwayAt: null }, { setUpAwayAt: now });

/** Whether an owner has a workspace; without one it is no owner any more. */
export const hasWorkspace = async (db: Db, ownerId: OwnerId): Promise<boolean> => {
  const row = await db
    .selectFrom('workspace_owners')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_owners.workspace_id')
    .select('workspaces.id')
    .where('workspace_owners.owner_id', '=', idToBytes(ownerId))
    .where('workspaces.removed_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
};

const insertOwnership = preparedInsertNew(workspaceOwners);

/** @returns false where the owner has the workspace already */
export const addWorkspaceOwner = (tx: Tx, workspaceId: WorkspaceId, ownerId: OwnerId, now: Millis): Promise<boolean> =>
  insertOwnership(tx, { workspaceId, ownerId, createdAt: now });

/** @returns false where the owner does not have the workspace */
export const removeWorkspaceOwner = async (tx: Tx, workspaceId: WorkspaceId, ownerId: OwnerId): Promise<boolean> =>
  (await deleteAndCount(tx, workspaceOwners, { workspaceId, ownerId })) > 0;

export const removeWorkspaceOwners = (tx: Tx, workspaceId: WorkspaceId): Promise<void> =>
  deleteRows(tx, workspaceOwners, { workspaceId });

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
  if (workspaceId) query = query.where('workspace_owners.workspace_id', '=', idToBytes(workspaceId));
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
    .where('workspace_owners.owner_id', '=', idToBytes(ownerId))
    .where('workspaces.removed_at', 'is', null)
    .orderBy('workspaces.created_at')
    .execute();
  return rows.map(workspaces.read);
};
