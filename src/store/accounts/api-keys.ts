/** API keys: only their hashes are stored. */

import type { AgentCaller } from '../../kernel/caller.ts';
import type { Millis } from '../../kernel/clock.ts';
import { type AgentId, idFromBytes, idFromHex, idToBytes, type KeyId, type WorkspaceId } from '../../kernel/ids.ts';
import { type Entity, hexOf } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedListSelect, preparedSelect } from '../prepared-statement.ts';
import { deleteRows, updateAndCount, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { apiKeys } from './accounts-mappings.ts';
import { agentsIn } from './agents.ts';

const key = apiKeys.omit('hash');
export type ApiKey = Entity<typeof key>;

const holderKey = apiKeys.pick('scopes', 'reach', 'lastUsedAt');

export type KeyHolder = Entity<typeof holderKey> &
  Pick<AgentCaller, 'keyId' | 'agentId' | 'workspaceId' | 'mailboxId' | 'isSuspended'> & { handle: string };

const insert = preparedInsert(apiKeys);

export const insertApiKey = (tx: Tx, apiKey: ApiKey, hash: Uint8Array): Promise<void> =>
  insert(tx, { ...apiKey, hash });

const holderByHash = preparedSelect((db, { hash, now }: { hash: Uint8Array; now: number }) =>
  db
    .selectFrom('api_keys')
    .innerJoin('agents', 'agents.id', 'api_keys.agent_id')
    .leftJoin('mailboxes', (join) =>
      join.onRef('mailboxes.agent_id', '=', 'agents.id').on('mailboxes.receive_only', '=', 0),
    )
    .select((eb) => [
      hexOf(eb.ref('api_keys.id')).as('key_id'),
      hexOf(eb.ref('agents.id')).as('agent_id'),
      hexOf(eb.ref('agents.workspace_id')).as('workspace_id'),
      hexOf(eb.ref('mailboxes.id')).as('mailbox_id'),
    ])
    .select(['agents.handle', 'mailboxes.status as mailbox_status'])
    .select(holderKey.qualifiedNames)
    .where('api_keys.hash', '=', hash)
    .where('api_keys.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', now)]))
    .where('agents.removed_at', 'is', null),
);

/** The agent of a key that is valid at `now`. The hash is of 32 random bytes: the time of its look-up reveals nothing. */
export const findKeyHolder = async (db: Db, hash: Uint8Array, now: Millis): Promise<KeyHolder | null> => {
  const [row] = await holderByHash(db, { hash, now });
  return row
    ? {
        ...holderKey.read(row),
        keyId: idFromHex(row.key_id),
        agentId: idFromHex(row.agent_id),
        workspaceId: idFromHex(row.workspace_id),
        mailboxId: row.mailbox_id === '' ? null : idFromHex(row.mailbox_id),
        isSuspended: row.mailbox_status === 'suspended',
        handle: row.handle,
      }
    : null;
};

const liveByIds = preparedListSelect((db, { now }: { now: number }, ids) =>
  db
    .selectFrom('api_keys')
    .innerJoin('agents', 'agents.id', 'api_keys.agent_id')
    .select('api_keys.id')
    .where('api_keys.id', 'in', ids as Uint8Array[])
    .where('api_keys.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', now)]))
    .where('agents.removed_at', 'is', null),
);

/** Those of the keys that are valid at `now`. */
export const listLiveKeys = async (db: Db, ids: readonly KeyId[], now: Millis): Promise<KeyId[]> =>
  (await liveByIds(db, { now }, ids.map(idToBytes))).map(({ id }) => idFromBytes(id));

export const touchApiKey = (tx: Tx, id: KeyId, now: Millis): Promise<void> =>
  updateRows(tx, apiKeys, { id }, { lastUsedAt: now });

/** Lists the newest first. @param of only the keys of this agent or workspace; null: all */
export const listApiKeys = async (
  db: Db,
  of: { agentId: AgentId } | { workspaceId: WorkspaceId } | null,
): Promise<ApiKey[]> => {
  let query = db.selectFrom('api_keys').select(key.names).orderBy('created_at', 'desc').orderBy('id', 'desc');
  if (of && 'agentId' in of) query = query.where('agent_id', '=', idToBytes(of.agentId));
  if (of && 'workspaceId' in of) query = query.where('agent_id', 'in', agentsIn(db, of.workspaceId));
  return (await query.execute()).map(key.read);
};

/** @returns false where there is no such key, or it was revoked before */
export const revokeApiKey = async (tx: Tx, id: KeyId, now: Millis): Promise<boolean> => {
  const changed = await updateAndCount(tx, apiKeys, { id, revokedAt: null }, { revokedAt: now });
  if (changed > 0) tx.noteRevocation(idToBytes(id));
  return changed > 0;
};

export const deleteKeysOfAgent = (tx: Tx, agentId: AgentId): Promise<void> => deleteRows(tx, apiKeys, { agentId });
