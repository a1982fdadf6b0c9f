/** Grants: what owners allowed OAuth clients. A grant that ends is deleted with its codes and tokens. */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, GrantId, MailboxId, OwnerId, WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';
import { oauthGrants } from './oauth-mappings.ts';
import { deleteOauthRecordsOf } from './oauth-records.ts';

export type OauthGrant = Entity<typeof oauthGrants>;

const insert = preparedInsert(oauthGrants);

export const insertGrant = async (tx: Tx, grant: OauthGrant): Promise<void> => {
  await insert(tx, grant);
};

export const findGrant = async (db: Db, id: GrantId, now: Millis): Promise<OauthGrant | null> => {
  const row = await db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('id', '=', toBlob(id))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row ? oauthGrants.read(row) : null;
};

/** Newest first. */
export const listGrantsOf = async (db: Db, ownerId: OwnerId, now: Millis): Promise<OauthGrant[]> => {
  const rows = await db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('owner_id', '=', toBlob(ownerId))
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(oauthGrants.read);
};

/** Those of the grants that last, and whose owner has a workspace. */
export const listLiveGrants = async (db: Db, ids: readonly GrantId[], now: Millis): Promise<GrantId[]> => {
  const rows = await db
    .selectFrom('oauth_grants')
    .innerJoin('workspace_owners', 'workspace_owners.owner_id', 'oauth_grants.owner_id')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_owners.workspace_id')
    .select('oauth_grants.id')
    .distinct()
    .where('oauth_grants.id', 'in', ids.map(toBlob))
    .where('oauth_grants.expires_at', '>', now)
    .where('workspaces.removed_at', 'is', null)
    .execute();
  return rows.map(({ id }) => fromBlob(id));
};

/** A grant lasts as long as the last of its tokens. */
export const extendGrant = async (tx: Tx, id: GrantId, expiresAt: Millis): Promise<void> => {
  await tx.db
    .updateTable('oauth_grants')
    .set({ expires_at: expiresAt })
    .where('id', '=', toBlob(id))
    .where('expires_at', '<', expiresAt)
    .execute();
};

export const touchGrant = async (tx: Tx, id: GrantId, now: Millis): Promise<void> => {
  await tx.db.updateTable('oauth_grants').set({ last_used_at: now }).where('id', '=', toBlob(id)).execute();
};

/** @returns false where there was none */
export const deleteGrant = async (tx: Tx, id: GrantId): Promise<boolean> => {
  await deleteOauthRecordsOf(tx, id, null);
  const result = await tx.db.deleteFrom('oauth_grants').where('id', '=', toBlob(id)).executeTakeFirst();
  return result.numDeletedRows > 0n;
};

/** Ends the grants of owners who have no workspace any more. */
export const deleteGrantsWithoutWorkspace = async (tx: Tx): Promise<void> => {
  const owners = tx.db
    .selectFrom('workspace_owners')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_owners.workspace_id')
    .select('workspace_owners.owner_id')
    .where('workspaces.removed_at', 'is', null);
  const grants = tx.db.selectFrom('oauth_grants').select('id').where('owner_id', 'not in', owners);
  await tx.db.deleteFrom('oauth_records').where('grant_id', 'in', grants).execute();
  await tx.db.deleteFrom('oauth_grants').where('owner_id', 'not in', owners).execute();
};

export const purgeGrants = async (tx: Tx, now: Millis): Promise<void> => {
  await tx.db.deleteFrom('oauth_grants').where('expires_at', '<=', now).execute();
};

/** An agent within an owner's reach. */
export interface OwnedAgent {
  id: AgentId;
  handle: string;
  workspaceId: WorkspaceId;
  /** Null where no mailbox backs the agent. */
  mailboxId: MailboxId | null;
  isSuspended: boolean;
  workspaceName: string;
  /** Whether a person reviews what it sends: always, or where a correspondent did not authenticate. */
  hold: boolean;
  guard: boolean;
}

/** The agents of an owner's workspaces, by handle. */
export const listAgentsOfOwner = async (db: Db, ownerId: OwnerId): Promise<OwnedAgent[]> => {
  const rows = await db
    .selectFrom('workspace_owners')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_owners.workspace_id')
    .innerJoin('agents', 'agents.workspace_id', 'workspaces.id')
    .leftJoin('mailboxes', (join) =>
      join.onRef('mailboxes.agent_id', '=', 'agents.id').on('mailboxes.receive_only', '=', sql.lit(0)),
    )
    .select(['agents.id', 'agents.handle', 'agents.workspace_id', 'agents.hold', 'agents.guard'])
    .select(['mailboxes.id as mailbox_id', 'mailboxes.status', 'workspaces.name as workspace_name'])
    .where('workspace_owners.owner_id', '=', toBlob(ownerId))
    .where('workspaces.removed_at', 'is', null)
    .where('agents.removed_at', 'is', null)
    .orderBy('agents.handle')
    .execute();
  return rows.map((row) => ({
    id: fromBlob(row.id),
    handle: row.handle,
    workspaceId: fromBlob(row.workspace_id),
    mailboxId: row.mailbox_id && fromBlob(row.mailbox_id),
    isSuspended: row.status === 'suspended',
    workspaceName: row.workspace_name,
    hold: row.hold === 1,
    guard: row.guard === 1,
  }));
};
