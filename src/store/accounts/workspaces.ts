/** Workspaces: they share agents, domains and contacts, and have one sending state. */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import { parseId, type WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
import { type SendingState, workspaces } from './accounts-mappings.ts';

export type Workspace = Entity<typeof workspaces>;

const created = workspaces.omit(
  'spendCapUsd',
  'sendingState',
  'sendingStateReason',
  'ratesFrom',
  'claimedAt',
  'removedAt',
  'purgedAt',
);
const insert = preparedInsert(created, (conflict) => conflict.column('slug').doNothing());

type Created = Entity<typeof created>;

export type NewWorkspaceRow = Omit<Created, 'sendingStateAt' | 'claimHash'> & Partial<Pick<Created, 'claimHash'>>;

/** Whether the gate lets its agents send at all: its owner's address is verified, and it is not paused. */
export const maySend = ({ verifiedAt, sendingState }: Pick<Workspace, 'verifiedAt' | 'sendingState'>): boolean =>
  verifiedAt !== null && sendingState !== 'paused';

/** @returns false where another workspace has its slug */
export const insertWorkspace = async (tx: Tx, workspace: NewWorkspaceRow): Promise<boolean> =>
  (await insert(tx, { ...workspace, sendingStateAt: workspace.createdAt })) > 0;

export const isSlugTaken = async (db: Db, slug: string): Promise<boolean> =>
  (await db.selectFrom('workspaces').select('id').where('slug', '=', slug).executeTakeFirst()) !== undefined;

const byId = preparedSelect((db, { id }: { id: Uint8Array }) =>
  db.selectFrom('workspaces').select(workspaces.toRead).where('id', '=', id),
);

export const findWorkspaceById = async (db: Db, id: WorkspaceId): Promise<Workspace | null> => {
  const [row] = await byId(db, { id: toBlob(id) });
  return row ? workspaces.read(row) : null;
};

/** All workspaces with `text` as id, slug or name. More than one where names repeat. */
export const findWorkspaces = async (db: Db, text: string): Promise<Workspace[]> => {
  const id = parseId<'workspace'>(text);
  const rows = await db
    .selectFrom('workspaces')
    .selectAll()
    .where('hidden', '=', 0)
    .where('removed_at', 'is', null)
    .where((eb) => eb.or([eb('slug', '=', text), eb('name', '=', text), ...(id ? [eb('id', '=', toBlob(id))] : [])]))
    .execute();
  return rows.map(workspaces.read);
};

export const listWorkspaces = async (db: Db): Promise<Workspace[]> =>
  (
    await db
      .selectFrom('workspaces')
      .selectAll()
      .where('hidden', '=', 0)
      .where('removed_at', 'is', null)
      .orderBy('created_at')
      .execute()
  ).map(workspaces.read);

export const listThrottledWorkspaces = async (db: Db): Promise<Workspace[]> =>
  (
    await db
      .selectFrom('workspaces')
      .selectAll()
      .where('sending_state', '=', sql.lit('throttled'))
      .where('removed_at', 'is', null)
      .execute()
  ).map(workspaces.read);

export const listProbationWorkspaces = async (db: Db): Promise<Workspace[]> =>
  (
    await db
      .selectFrom('workspaces')
      .selectAll()
      .where('tier', '=', 'probation')
      .where('removed_at', 'is', null)
      .execute()
  ).map(workspaces.read);

export const setSendingState = async (
  tx: Tx,
  id: WorkspaceId,
  state: SendingState,
  reason: string | null,
  now: Millis,
): Promise<void> => {
  await tx.db
    .updateTable('workspaces')
    .set(workspaces.write({ sendingState: state, sendingStateReason: reason, sendingStateAt: now }))
    .where('id', '=', toBlob(id))
    .execute();
};

/** Leaves outcomes before `at` out of the workspace's rates. */
export const resetRatesBefore = async (tx: Tx, id: WorkspaceId, at: Millis): Promise<void> => {
  await tx.db.updateTable('workspaces').set({ rates_from: at }).where('id', '=', toBlob(id)).execute();
};

export const setPlan = async (tx: Tx, id: WorkspaceId, plan: string, spendCapUsd: number | null): Promise<void> => {
  await tx.db
    .updateTable('workspaces')
    .set({ plan, spend_cap_usd: spendCapUsd })
    .where('id', '=', toBlob(id))
    .execute();
};

/** Marks the owner's address as verified. @returns false where it was before */
export const setVerified = async (tx: Tx, id: WorkspaceId, now: Millis): Promise<boolean> => {
  const result = await tx.db
    .updateTable('workspaces')
    .set({ verified_at: now })
    .where('id', '=', toBlob(id))
    .where('verified_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
};

/** Notices go to it. */
export const setOwnerEmail = async (tx: Tx, id: WorkspaceId, ownerEmail: string): Promise<void> => {
  await tx.db.updateTable('workspaces').set({ owner_email: ownerEmail }).where('id', '=', toBlob(id)).execute();
};

export const endProbation = async (tx: Tx, id: WorkspaceId): Promise<void> => {
  await tx.db.updateTable('workspaces').set({ tier: 'standard' }).where('id', '=', toBlob(id)).execute();
};
