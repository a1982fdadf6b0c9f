/** Which agents may open which secrets. */

import type { Millis } from '../../kernel/clock.ts';
import { type AgentId, idFromBytes, idToBytes, type SecretId, type WorkspaceId } from '../../kernel/ids.ts';
import { preparedPut } from '../prepared-insert.ts';
import { deleteAndCount, findRow } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { secretGrants } from './vault-mappings.ts';

const put = preparedPut(secretGrants, 'withSeed');

/** A grant that is there is changed. */
export const insertGrant = (
  tx: Tx,
  agentId: AgentId,
  secretId: SecretId,
  createdAt: Millis,
  withSeed = false,
): Promise<void> => put(tx, { agentId, secretId, createdAt, withSeed });

/** Whether the agent's grant is one with the seed of the one-time codes. */
export const isGrantedWithSeed = async (db: Db, agentId: AgentId, secretId: SecretId): Promise<boolean> =>
  (await findRow(db, secretGrants, { agentId, secretId, withSeed: true })) !== null;

/** @returns false where there was none */
export const deleteGrant = async (tx: Tx, agentId: AgentId, secretId: SecretId): Promise<boolean> =>
  (await deleteAndCount(tx, secretGrants, { agentId, secretId })) > 0;

/** How many of them the agent may open. */
export const countGranted = async (db: Db, agentId: AgentId, secretIds: readonly SecretId[]): Promise<number> => {
  const { count } = await db
    .selectFrom('secret_grants')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('agent_id', '=', idToBytes(agentId))
    .where('secret_id', 'in', secretIds.map(idToBytes))
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** Grants of a workspace's secrets (null: of all workspaces) to agents that are still there, by handle. */
export const listGrants = async (
  db: Db,
  workspaceId: WorkspaceId | null,
): Promise<{ secretId: SecretId; handle: string; withSeed: boolean }[]> => {
  let query = db
    .selectFrom('secrets')
    .innerJoin('secret_grants', 'secret_grants.secret_id', 'secrets.id')
    .innerJoin('agents', 'agents.id', 'secret_grants.agent_id')
    .select(['secrets.id as secret_id', 'agents.handle', 'secret_grants.with_seed'])
    .where('agents.removed_at', 'is', null)
    .orderBy('agents.handle');
  if (workspaceId) query = query.where('secrets.workspace_id', '=', idToBytes(workspaceId));
  return (await query.execute()).map(({ secret_id, handle, with_seed }) => ({
    secretId: idFromBytes<'secret'>(secret_id),
    handle,
    withSeed: with_seed === 1,
  }));
};
