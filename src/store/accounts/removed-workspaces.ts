/**
 * Removes a workspace: its agents end in the same transaction; its data is deleted later, some rows at a time. The
 * rows of the workspace, its subdomain, agents and mailboxes stay, so that their names are not reused.
 */

import type { Millis } from '../../kernel/clock.ts';
import { idFromBytes, idToBytes, type MailboxId, type WorkspaceId } from '../../kernel/ids.ts';
import { deleteSomeOfSource } from '../knowledge/removal.ts';
import { findAnySource } from '../knowledge/sources.ts';
import { deleteSomeOf, type Owned } from '../owned-rows.ts';
import { deleteRows, listValues, notNull, updateAndCount, updateRows } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { Db, Tx } from '../store.ts';
import * as tables from '../tables.ts';
import { deleteSecret, listSecrets } from '../vault/secrets.ts';
import { vaultKeys } from '../vault/vault-mappings.ts';
import { agents, domains as domainRows, workspaces } from './accounts-mappings.ts';
import { agentsIn } from './agents.ts';

/** @returns false where it was removed before */
export const setWorkspaceRemoved = async (tx: Tx, id: WorkspaceId, now: Millis): Promise<boolean> => {
  const changed = await updateAndCount(tx, workspaces, { id, removedAt: null }, { removedAt: now });
  await updateRows(tx, agents, { workspaceId: id, removedAt: null }, { removedAt: now });
  if (changed > 0) tx.noteRevocation(idToBytes(id));
  return changed > 0;
};

/** Those with data that is not deleted yet, the longest removed first. */
export const listWorkspacesToPurge = (db: Db, limit: number): Promise<WorkspaceId[]> => {
  const left = { removedAt: notNull, purgedAt: null };
  return listValues(db, workspaces, 'id', left, { order: { removedAt: 'asc' }, limit });
};

export const setWorkspacePurged = (tx: Tx, id: WorkspaceId, now: Millis): Promise<void> =>
  updateRows(tx, workspaces, { id }, { purgedAt: now });

/** Its mailboxes, those of disposable addresses and of removed agents too. */
export const listMailboxesOf = async (db: Db, workspaceId: WorkspaceId): Promise<MailboxId[]> => {
  const rows = await db
    .selectFrom('mailboxes')
    .innerJoin('agents', 'agents.id', 'mailboxes.agent_id')
    .select('mailboxes.id')
    .where('agents.workspace_id', '=', idToBytes(workspaceId))
    .execute();
  return rows.map(({ id }) => idFromBytes(id));
};

/** Tables with rows of a workspace that this does not delete, with the reason. */
const LEFT: Readonly<Partial<Record<keyof Schema, string>>> = {
  activity: 'the log keeps what it has',
  agents: 'so that no handle is given again',
  domains: 'so that no subdomain is given again',
  owner_invitations: 'ended with the removal, and they lapse',
  push_messages: 'they lapse within a day, and are not sent without their workspace',
  sign_in_links: 'they lapse',
  told_needs: 'they lapse within a day',
  workspace_owners: 'taken with the removal',
  pending_sends: 'they go with their mailbox',
  secrets: 'they go one by one, with their grants',
  knowledge_sources: 'they go one by one, with what is made from them',
  knowledge_pages: 'they go with their source',
};

/** Every other table with rows of a workspace, or with counts of one. */
const OF_WORKSPACE: readonly Owned[] = Object.values(tables).flatMap((each) => {
  if (!('table' in each) || each.table in LEFT) return [];
  const owner = ['workspaceId', 'scope'].find((field) => field in each.columns);
  return owner === undefined ? [] : [[each, owner] as const];
});

/** The same of what the agents of a workspace share. */
export const deleteSomeOfWorkspace = async (tx: Tx, id: WorkspaceId, limit: number): Promise<number> => {
  const source = await findAnySource(tx.db, id);
  if (source !== null) {
    await deleteSomeOfSource(tx, source, limit);
    return 1;
  }
  const secrets = (await listSecrets(tx.db, id)).slice(0, limit);
  for (const secret of secrets) await deleteSecret(tx, secret.id);
  return secrets.length > 0 ? secrets.length : deleteSomeOf(tx, OF_WORKSPACE, id, limit);
};

/** Keys of the agents, of the domains and of the vault, rules, and results of the checks of domains: few, in one step. */
export const deleteKeysOfWorkspace = async (tx: Tx, id: WorkspaceId): Promise<void> => {
  const agents = agentsIn(tx.db, id);
  await tx.db.deleteFrom('api_keys').where('agent_id', 'in', agents).execute();
  await tx.db.deleteFrom('rules').where('agent_id', 'in', agents).execute();
  const mailboxes = tx.db.selectFrom('mailboxes').select('id').where('agent_id', 'in', agents);
  // Former addresses lapse by themselves, and stay reserved until then.
  await tx.db.deleteFrom('addresses').where('mailbox_id', 'in', mailboxes).where('is_primary', '=', 1).execute();
  const domains = tx.db.selectFrom('domains').select('id').where('workspace_id', '=', idToBytes(id));
  await deleteRows(tx, vaultKeys, { name: id });
  await tx.db.deleteFrom('dkim_keys').where('domain_id', 'in', domains).execute();
  await updateRows(tx, domainRows, { workspaceId: id }, { checkResult: null });
};
