/** Workspaces: who shares agents, domains and contacts. */

import type { Selectable } from 'kysely';
import type { Millis } from '../kernel/clock.ts';
import { parseId, type WorkspaceId } from '../kernel/ids.ts';
import type { Schema } from './schema.ts';
import type { Db, Tx } from './store.ts';
import { fromBlob, toBlob } from './values.ts';

export interface Workspace {
  id: WorkspaceId;
  name: string;
  /** The label of its subdomain under the base domain. */
  slug: string;
  ownerEmail: string;
  plan: string;
  verifiedAt: Millis | null;
  createdAt: Millis;
}

const fromRow = (row: Selectable<Schema['workspaces']>): Workspace => ({
  id: fromBlob(row.id),
  name: row.name,
  slug: row.slug,
  ownerEmail: row.owner_email,
  plan: row.plan,
  verifiedAt: row.verified_at,
  createdAt: row.created_at,
});

export const insertWorkspace = async (tx: Tx, workspace: Workspace): Promise<void> => {
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
    })
    .execute();
};

export const isSlugTaken = async (db: Db, slug: string): Promise<boolean> =>
  (await db.selectFrom('workspaces').select('id').where('slug', '=', slug).executeTakeFirst()) !== undefined;

export const findWorkspaceById = async (db: Db, id: WorkspaceId): Promise<Workspace | null> => {
  const row = await db.selectFrom('workspaces').selectAll().where('id', '=', toBlob(id)).executeTakeFirst();
  return row ? fromRow(row) : null;
};

/** All workspaces that go by `text`: an id, a slug or a name. More than one where names repeat. */
export const findWorkspaces = async (db: Db, text: string): Promise<Workspace[]> => {
  const id = parseId<'workspace'>(text);
  const rows = await db
    .selectFrom('workspaces')
    .selectAll()
    .where((eb) => eb.or([eb('slug', '=', text), eb('name', '=', text), ...(id ? [eb('id', '=', toBlob(id))] : [])]))
    .execute();
  return rows.map(fromRow);
};

export const listWorkspaces = async (db: Db): Promise<Workspace[]> =>
  (await db.selectFrom('workspaces').selectAll().orderBy('created_at').execute()).map(fromRow);
