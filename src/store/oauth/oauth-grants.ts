/** Grants: access that owners gave OAuth clients. grant-endings.ts ends them. */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, GrantId, MailboxId, OwnerId, WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';
import { oauthGrants } from './oauth-mappings.ts';

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

/** A grant, and an agent used by it. */
export interface GrantUse {
  grantId: GrantId;
  agentId: AgentId;
}

/** The uses by a live grant of an agent that still exists, and that the grant's owner still reaches. */
export const listLiveUses = async (db: Db, uses: readonly GrantUse[], now: Millis): Promise<GrantUse[]> => {
  const rows = await db
    .selectFrom('oauth_grants')
    .innerJoin('workspace_owners', 'workspace_owners.owner_id', 'oauth_grants.owner_id')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_owners.workspace_id')
    .innerJoin('agents', 'agents.workspace_id', 'workspaces.id')
    .select(['oauth_grants.id', 'oauth_grants.agents', 'agents.id as agent_id'])
    .where('oauth_grants.id', 'in', [...new Set(uses.map(({ grantId }) => grantId))].map(toBlob))
    .where('agents.id', 'in', [...new Set(uses.map(({ agentId }) => agentId))].map(toBlob))
    .where('oauth_grants.expires_at', '>', now)
    .where('workspaces.removed_at', 'is', null)
    .where('agents.removed_at', 'is', null)
    .execute();
  return rows.flatMap((row) => {
    const agents = oauthGrants.columns.agents.fromStored(row.agents);
    const agentId: AgentId = fromBlob(row.agent_id);
    return agents === null || agents.includes(agentId) ? [{ grantId: fromBlob(row.id), agentId }] : [];
  });
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

export const setGrantAgents = async (tx: Tx, id: GrantId, agents: readonly AgentId[]): Promise<void> => {
  await tx.db.updateTable('oauth_grants').set(oauthGrants.write({ agents })).where('id', '=', toBlob(id)).execute();
};

/** The row alone; see grant-endings.ts. @returns false where there was none */
export const deleteGrantRow = async (tx: Tx, id: GrantId): Promise<boolean> => {
  const result = await tx.db.deleteFrom('oauth_grants').where('id', '=', toBlob(id)).executeTakeFirst();
  if (result.numDeletedRows > 0n) tx.noteEnding(toBlob(id));
  return result.numDeletedRows > 0n;
};

/** The longest over first. */
export const listExpiredGrants = async (db: Db, now: Millis, limit: number): Promise<OauthGrant[]> => {
  const rows = await db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
  return rows.map(oauthGrants.read);
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

/** The agents of the owner that a grant includes. */
export const listReachedAgents = async (db: Db, { ownerId, agents }: OauthGrant): Promise<OwnedAgent[]> => {
  const owned = await listAgentsOfOwner(db, ownerId);
  return agents === null ? owned : owned.filter(({ id }) => agents.includes(id));
};
