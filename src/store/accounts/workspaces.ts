/** Workspaces: who shares agents, domains and contacts, and whether they may send. */

import { type Selectable, sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import { parseId, type WorkspaceId } from '../../kernel/ids.ts';
import { preparedSelect } from '../prepared-query.ts';
import type { Schema } from '../schema.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob, toFlag } from '../values.ts';

export type SendingState = 'normal' | 'throttled' | 'paused';

export interface Workspace {
  id: WorkspaceId;
  name: string;
  /** The label of its subdomain under the base domain. */
  slug: string;
  ownerEmail: string;
  plan: string;
  verifiedAt: Millis | null;
  createdAt: Millis;
  /** The box's own, which no list shows. */
  hidden: boolean;
  tier: 'standard' | 'probation';
  /** Null: the plan's. */
  spendCapUsd: number | null;
  sendingState: SendingState;
  sendingStateReason: string | null;
  sendingStateAt: Millis;
  /** Outcomes before it do not count against it any more. */
  ratesFrom: Millis;
}

const fromRow = (row: Selectable<Schema['workspaces']>): Workspace => ({
  id: fromBlob(row.id),
  name: row.name,
  slug: row.slug,
  ownerEmail: row.owner_email,
  plan: row.plan,
  verifiedAt: row.verified_at,
  createdAt: row.created_at,
  hidden: row.hidden === 1,
  tier: row.tier,
  spendCapUsd: row.spend_cap_usd,
  sendingState: row.sending_state,
  sendingStateReason: row.sending_state_reason,
  sendingStateAt: row.sending_state_at,
  ratesFrom: row.rates_from,
});

export type NewWorkspaceRow = Pick<
  Workspace,
  'id' | 'name' | 'slug' | 'ownerEmail' | 'plan' | 'verifiedAt' | 'createdAt' | 'hidden' | 'tier'
>;

export const insertWorkspace = async (tx: Tx, workspace: NewWorkspaceRow): Promise<void> => {
  await tx.db
    .insertInto('workspaces')
    .values({
      id: toBlob(workspace.id),
      name: workspace.name,
      slug: workspace.slug,
      owner_email: workspace.ownerEmail,
      plan: workspace.plan,
      verified_at: workspace.verifiedAt,
      created_at: workspace.createdAt,
      hidden: toFlag(workspace.hidden),
      tier: workspace.tier,
      sending_state_at: workspace.createdAt,
    })
    .execute();
};

export const isSlugTaken = async (db: Db, slug: string): Promise<boolean> =>
  (await db.selectFrom('workspaces').select('id').where('slug', '=', slug).executeTakeFirst()) !== undefined;

const byId = preparedSelect((db, id: Uint8Array) => db.selectFrom('workspaces').selectAll().where('id', '=', id));

export const findWorkspaceById = async (db: Db, id: WorkspaceId): Promise<Workspace | null> => {
  const [row] = await byId(db, toBlob(id));
  return row ? fromRow(row) : null;
};

/** All workspaces that go by `text`: an id, a slug or a name. More than one where names repeat. */
export const findWorkspaces = async (db: Db, text: string): Promise<Workspace[]> => {
  const id = parseId<'workspace'>(text);
  const rows = await db
    .selectFrom('workspaces')
    .selectAll()
    .where('hidden', '=', 0)
    .where((eb) => eb.or([eb('slug', '=', text), eb('name', '=', text), ...(id ? [eb('id', '=', toBlob(id))] : [])]))
    .execute();
  return rows.map(fromRow);
};

export const listWorkspaces = async (db: Db): Promise<Workspace[]> =>
  (await db.selectFrom('workspaces').selectAll().where('hidden', '=', 0).orderBy('created_at').execute()).map(fromRow);

export const listThrottledWorkspaces = async (db: Db): Promise<Workspace[]> =>
  (await db.selectFrom('workspaces').selectAll().where('sending_state', '=', sql.lit('throttled')).execute()).map(
    fromRow,
  );

export const listProbationWorkspaces = async (db: Db): Promise<Workspace[]> =>
  (await db.selectFrom('workspaces').selectAll().where('tier', '=', 'probation').execute()).map(fromRow);

export const setSendingState = async (
  tx: Tx,
  id: WorkspaceId,
  state: SendingState,
  reason: string | null,
  now: Millis,
): Promise<void> => {
  await tx.db
    .updateTable('workspaces')
    .set({ sending_state: state, sending_state_reason: reason, sending_state_at: now })
    .where('id', '=', toBlob(id))
    .execute();
};

/** Lets a workspace begin anew: what went wrong before no longer counts in its rates. */
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

export const endProbation = async (tx: Tx, id: WorkspaceId): Promise<void> => {
  await tx.db.updateTable('workspaces').set({ tier: 'standard' }).where('id', '=', toBlob(id)).execute();
};
