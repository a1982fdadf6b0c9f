/** Grants: access that owners gave OAuth clients. revoke-grants.ts ends them. */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, GrantId, MailboxId, OwnerId, WorkspaceId } from '../../kernel/ids.ts';
import { idFromBytes, idToBytes } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { above, atMost, below, deleteAndCount, findRow, listRows, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { oauthGrants } from './oauth-mappings.ts';

export type OauthGrant = Entity<typeof oauthGrants>;

export const insertGrant = preparedInsert(oauthGrants);

export const findGrant = (db: Db, id: GrantId, now: Millis): Promise<OauthGrant | null> =>
  findRow(db, oauthGrants, { id, expiresAt: above(now) });

/** Newest first. */
export const listGrantsOf = (db: Db, ownerId: OwnerId, now: Millis): Promise<OauthGrant[]> =>
  listRows(db, oauthGrants, { ownerId, expiresAt: above(now) }, { order: { createdAt: 'desc', id: 'desc' } });

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
    .where('oauth_grants.id', 'in', [...new Set(uses.map(({ grantId }) => grantId))].map(idToBytes))
    .where('agents.id', 'in', [...new Set(uses.map(({ agentId }) => agentId))].map(idToBytes))
    .where('oauth_grants.expires_at', '>', now)
    .where('workspaces.removed_at', 'is', null)
    .where('agents.removed_at', 'is', null)
    .execute();
  return rows.flatMap((row) => {
    const agents = oauthGrants.columns.agents.fromStored(row.agents);
    const agentId: AgentId = idFromBytes(row.agent_id);
    return agents === null || agents.includes(agentId) ? [{ grantId: idFromBytes(row.id), agentId }] : [];
  });
};

/** A grant lasts as long as the last of its tokens. */
export const extendGrant = (tx: Tx, id: GrantId, expiresAt: Millis): Promise<void> =>
  updateRows(tx, oauthGrants, { id, expiresAt: below(expiresAt) }, { expiresAt });

export const touchGrant = (tx: Tx, id: GrantId, now: Millis): Promise<void> =>
  updateRows(tx, oauthGrants, { id }, { lastUsedAt: now });

export const setGrantAgents = (tx: Tx, id: GrantId, agents: readonly AgentId[]): Promise<void> =>
  updateRows(tx, oauthGrants, { id }, { agents });

/** The row alone; see revoke-grants.ts. @returns false where there was none */
export const deleteGrantRow = async (tx: Tx, id: GrantId): Promise<boolean> => {
  const changed = await deleteAndCount(tx, oauthGrants, { id });
  if (changed > 0) tx.noteRevocation(idToBytes(id));
  return changed > 0;
};

/** The longest over first. */
export const listExpiredGrants = (db: Db, now: Millis, limit: number): Promise<OauthGrant[]> =>
  listRows(db, oauthGrants, { expiresAt: atMost(now) }, { order: { expiresAt: 'asc' }, limit });

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
    .where('workspace_owners.owner_id', '=', idToBytes(ownerId))
    .where('workspaces.removed_at', 'is', null)
    .where('agents.removed_at', 'is', null)
    .orderBy('agents.handle')
    .execute();
  return rows.map((row) => ({
    id: idFromBytes(row.id),
    handle: row.handle,
    workspaceId: idFromBytes(row.workspace_id),
    mailboxId: row.mailbox_id && idFromBytes(row.mailbox_id),
    isSuspended: row.status === 'suspended',
    workspaceName: row.workspace_name,
    hold: row.hold === 1,
    guard: row.guard === 1,
  }));
};

/** @param owned the agents of the grant's owner */
export const reachedOf = ({ agents }: Pick<OauthGrant, 'agents'>, owned: readonly OwnedAgent[]): OwnedAgent[] =>
  owned.filter(({ id }) => agents === null || agents.includes(id));

export const listReachedAgents = async (db: Db, grant: OauthGrant): Promise<OwnedAgent[]> =>
  reachedOf(grant, await listAgentsOfOwner(db, grant.ownerId));
