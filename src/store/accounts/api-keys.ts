/** API keys: only their hashes are here. */

import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, KeyId, MailboxId, WorkspaceId } from '../../kernel/ids.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';

export interface ApiKey {
  id: KeyId;
  agentId: AgentId;
  name: string;
  /** Null: every scope. */
  scopes: string[] | null;
  createdAt: Millis;
  lastUsedAt: Millis | null;
  expiresAt: Millis | null;
  revokedAt: Millis | null;
}

export interface KeyHolder {
  keyId: KeyId;
  scopes: string[] | null;
  agentId: AgentId;
  workspaceId: WorkspaceId;
  mailboxId: MailboxId | null;
  lastUsedAt: Millis | null;
}

export const insertApiKey = async (tx: Tx, key: ApiKey, hash: Uint8Array): Promise<void> => {
  await tx.db
    .insertInto('api_keys')
    .values({
      id: toBlob(key.id),
      agent_id: toBlob(key.agentId),
      name: key.name,
      hash,
      scopes: key.scopes && JSON.stringify(key.scopes),
      created_at: key.createdAt,
      last_used_at: key.lastUsedAt,
      expires_at: key.expiresAt,
      revoked_at: key.revokedAt,
    })
    .execute();
};

/** Whom a key that is valid at `now` speaks for. The hash is of 32 random bytes: looking it up leaks nothing of use. */
export const findKeyHolder = async (db: Db, hash: Uint8Array, now: Millis): Promise<KeyHolder | null> => {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('agents', 'agents.id', 'api_keys.agent_id')
    .leftJoin('mailboxes', (join) =>
      join.onRef('mailboxes.agent_id', '=', 'agents.id').on('mailboxes.receive_only', '=', 0),
    )
    .select([
      'api_keys.id as key_id',
      'api_keys.scopes',
      'api_keys.last_used_at',
      'agents.id as agent_id',
      'agents.workspace_id',
      'mailboxes.id as mailbox_id',
    ])
    .where('api_keys.hash', '=', hash)
    .where('api_keys.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', now)]))
    .where('agents.removed_at', 'is', null)
    .executeTakeFirst();
  return row
    ? {
        keyId: fromBlob(row.key_id),
        scopes: row.scopes === null ? null : (JSON.parse(row.scopes) as string[]),
        agentId: fromBlob(row.agent_id),
        workspaceId: fromBlob(row.workspace_id),
        mailboxId: row.mailbox_id && fromBlob(row.mailbox_id),
        lastUsedAt: row.last_used_at,
      }
    : null;
};

/** Those of the keys that are valid at `now`. */
export const listLiveKeys = async (db: Db, ids: readonly KeyId[], now: Millis): Promise<KeyId[]> => {
  const rows = await db
    .selectFrom('api_keys')
    .innerJoin('agents', 'agents.id', 'api_keys.agent_id')
    .select('api_keys.id')
    .where('api_keys.id', 'in', ids.map(toBlob))
    .where('api_keys.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', now)]))
    .where('agents.removed_at', 'is', null)
    .execute();
  return rows.map(({ id }) => fromBlob(id));
};

export const touchApiKey = async (tx: Tx, id: KeyId, now: Millis): Promise<void> => {
  await tx.db.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', toBlob(id)).execute();
};

/** Newest first. With null, the keys of every agent. */
export const listApiKeys = async (db: Db, agentId: AgentId | null): Promise<ApiKey[]> => {
  let query = db.selectFrom('api_keys').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc');
  if (agentId) query = query.where('agent_id', '=', toBlob(agentId));
  return (await query.execute()).map((row) => ({
    id: fromBlob(row.id),
    agentId: fromBlob(row.agent_id),
    name: row.name,
    scopes: row.scopes === null ? null : (JSON.parse(row.scopes) as string[]),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  }));
};

/** @returns whether there was such a key that was not revoked before */
export const revokeApiKey = async (tx: Tx, id: KeyId, now: Millis): Promise<boolean> => {
  const result = await tx.db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', toBlob(id))
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
};

/** Revokes an agent's keys of one name: a key that replaces the last of its name. */
export const revokeApiKeysNamed = async (tx: Tx, agentId: AgentId, name: string, now: Millis): Promise<void> => {
  await tx.db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('agent_id', '=', toBlob(agentId))
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .execute();
};
