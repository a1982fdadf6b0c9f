/** Sealed secrets, each with its current version. */

import { type AgentId, idFromBytes, idToBytes, parseId, type SecretId, type WorkspaceId } from '../../kernel/ids.ts';
import { toNormalForm } from '../../kernel/text/normal-form.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import { countRows, deleteRows, findRow, listRows, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { secretGrants, secrets, secretVersions } from './vault-mappings.ts';

export type { SecretType } from './vault-mappings.ts';

export type StoredSecret = Entity<typeof secrets>;
/** The part of a secret that is shown without opening it. */
export type SecretHead = Omit<StoredSecret, 'sealed'>;
const head = secrets.omit('sealed');

const versionColumns = secretVersions.omit('secretId');
export type SecretVersion = Entity<typeof versionColumns>;

/** A secret's row with its separately stored version. */
export interface VersionedSecret extends StoredSecret {
  /** Null where there is none: the row was restored after the secret's removal. */
  current: SecretVersion | null;
}

/** The form in which names are compared. */
export const toNameKey = (name: string): string => toNormalForm(name, 'NFC').toLowerCase();

const insert = preparedInsert(secrets);
const insertVersion = preparedInsert(secretVersions);

export const insertSecret = async (tx: Tx, secret: StoredSecret, version: SecretVersion): Promise<void> => {
  await insert(tx, secret);
  await insertVersion(tx, { secretId: secret.id, ...version });
};

export const updateSecret = async (tx: Tx, secret: StoredSecret, version: SecretVersion): Promise<void> => {
  await updateRows(tx, secrets, { id: secret.id }, secret);
  await updateRows(tx, secretVersions, { secretId: secret.id }, version);
};

/** Removes it with its version and its grants. */
export const deleteSecret = async (tx: Tx, id: SecretId): Promise<void> => {
  await deleteRows(tx, secretGrants, { secretId: id });
  await deleteRows(tx, secretVersions, { secretId: id });
  await deleteRows(tx, secrets, { id });
};

const findVersion = (db: Db, secretId: SecretId) => findRow(db, secretVersions, { secretId }, { as: versionColumns });

const granted = preparedSelect((db, by: { id: Uint8Array; agent: Uint8Array; workspace: Uint8Array }) =>
  db
    .selectFrom('secret_grants')
    .innerJoin('secrets', 'secrets.id', 'secret_grants.secret_id')
    .select(secrets.qualifiedNames)
    .where('secret_grants.agent_id', '=', by.agent)
    .where('secret_grants.secret_id', '=', by.id)
    .where('secrets.workspace_id', '=', by.workspace),
);

/**
 * A secret that the agent may open. The walk begins at the grant and always reads the version, so a missing and an
 * ungranted secret take the same queries.
 */
export const findGrantedSecret = async (
  db: Db,
  workspaceId: WorkspaceId,
  agentId: AgentId,
  id: SecretId,
): Promise<VersionedSecret | null> => {
  const [row] = await granted(db, { id: idToBytes(id), agent: idToBytes(agentId), workspace: idToBytes(workspaceId) });
  const current = await findVersion(db, id);
  return row ? { ...secrets.read(row), current } : null;
};

/** By name. */
export const listGrantedSecrets = async (db: Db, workspaceId: WorkspaceId, agentId: AgentId): Promise<SecretHead[]> => {
  const rows = await db
    .selectFrom('secret_grants')
    .innerJoin('secrets', 'secrets.id', 'secret_grants.secret_id')
    .select(head.qualifiedNames)
    .where('secret_grants.agent_id', '=', idToBytes(agentId))
    .where('secrets.workspace_id', '=', idToBytes(workspaceId))
    .orderBy('secrets.name_key')
    .execute();
  return rows.map(head.read);
};

/** A workspace's, or with null those of the instance; by name. */
export const listSecrets = (db: Db, workspaceId: WorkspaceId | null): Promise<SecretHead[]> =>
  listRows(db, secrets, workspaceId ? { workspaceId } : {}, { order: { nameKey: 'asc' }, as: head });

/** Those that go by `text`, a name or an id. More than one where names repeat among workspaces. */
export const findSecrets = async (db: Db, workspaceId: WorkspaceId | null, text: string): Promise<SecretHead[]> => {
  const id = parseId<'secret'>(text);
  let query = db
    .selectFrom('secrets')
    .select(head.names)
    .where((eb) => eb.or([eb('name_key', '=', toNameKey(text)), ...(id ? [eb('id', '=', idToBytes(id))] : [])]));
  if (workspaceId) query = query.where('workspace_id', '=', idToBytes(workspaceId));
  return (await query.execute()).map(head.read);
};

export const findSecretByName = (db: Db, workspaceId: WorkspaceId, name: string): Promise<SecretHead | null> =>
  findRow(db, secrets, { workspaceId, nameKey: toNameKey(name) }, { as: head });

/** By id, of those that are there. */
export const listSecretNames = async (db: Db, ids: readonly SecretId[]): Promise<Map<SecretId, string>> => {
  const rows = await db.selectFrom('secrets').select(['id', 'name']).where('id', 'in', ids.map(idToBytes)).execute();
  return new Map(rows.map(({ id, name }) => [idFromBytes<'secret'>(id), name]));
};

/** With what it seals. */
export const findVersionedSecret = async (db: Db, id: SecretId): Promise<VersionedSecret | null> => {
  const secret = await findRow(db, secrets, { id });
  return secret && { ...secret, current: await findVersion(db, id) };
};

export const countSecrets = (db: Db, workspaceId: WorkspaceId): Promise<number> =>
  countRows(db, secrets, { workspaceId });
