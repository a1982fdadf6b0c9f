/** Workspaces that agents signed up for, until a person claims them. */

import { DAY, type Millis } from '../../kernel/clock.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { atMost, countRows, findRow, listValues, notNull, updateAndCount } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { workspaces } from './accounts-mappings.ts';
import type { Workspace } from './workspaces.ts';

/** A workspace ends without a claim, or the operator's verification, within this time. */
export const CLAIM_WITHIN_MS: Millis = 30 * DAY;

const UNCLAIMED = { claimHash: notNull, claimedAt: null, verifiedAt: null, removedAt: null };

/** Whether a signup lapses: no owner has claimed it, and the operator has not verified it. */
export const isUnclaimed = ({ claimHash, claimedAt, verifiedAt }: Workspace): boolean =>
  claimHash !== null && claimedAt === null && verifiedAt === null;

/** When the workspace ends; null: it does not. */
export const findLapse = (workspace: Workspace): Millis | null =>
  isUnclaimed(workspace) ? workspace.createdAt + CLAIM_WITHIN_MS : null;

/** The workspace of a claim token, claimed or not; null also where it was removed. */
export const findWorkspaceByClaim = (db: Db, hash: Uint8Array): Promise<Workspace | null> =>
  findRow(db, workspaces, { claimHash: hash, removedAt: null });

export const countUnclaimed = (db: Db): Promise<number> => countRows(db, workspaces, UNCLAIMED);

/** Those made before a time, the oldest first. */
export const listUnclaimed = (db: Db, before: Millis, limit: number): Promise<WorkspaceId[]> => {
  const lapsed = { ...UNCLAIMED, createdAt: atMost(before) };
  return listValues(db, workspaces, 'id', lapsed, { order: { createdAt: 'asc' }, limit });
};

/** @returns false where it was claimed before, or removed */
export const setClaimed = async (tx: Tx, id: WorkspaceId, now: Millis): Promise<boolean> =>
  (await updateAndCount(tx, workspaces, { id, claimedAt: null, removedAt: null }, { claimedAt: now })) > 0;
