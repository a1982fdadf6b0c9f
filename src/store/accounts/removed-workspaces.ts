/**
 * Removes a workspace: its agents end in the same transaction; its data is deleted later, some rows at a time. The
 * rows of the workspace, its subdomain, agents and mailboxes stay, so that their names are not reused.
 */

import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId, WorkspaceId } from '../../kernel/ids.ts';
import { deleteSomeOfSource } from '../knowledge/removal.ts';
import { findAnySource } from '../knowledge/sources.ts';
import { deleteSomeOf, type Owned } from '../owned-rows.ts';
import { deleteRows, listRows, notNull, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';
import { deleteSecret, listSecrets } from '../vault/secrets.ts';
import { vaultKeys } from '../vault/vault-mappings.ts';
import { agents, workspaces } from './accounts-mappings.ts';

/** @returns false where it was removed before */
export const setWorkspaceRemoved = async (tx: Tx, id: WorkspaceId, now: Millis): Promise<boolean> => {
  const changed = await updateRows(tx, workspaces, { id, removedAt: null }, { removedAt: now });
  await updateRows(tx, agents, { workspaceId: id, removedAt: null }, { removedAt: now });
  if (changed > 0) tx.noteEnding(toBlob(id));
  return changed > 0;
};

/** Those with data that is not deleted yet, the longest removed first. */
export const listWorkspacesToPurge = async (db: Db, limit: number): Promise<WorkspaceId[]> => {
  const rows = await listRows(
    db,
    workspaces,
    { removedAt: notNull, purgedAt: null },
    { order: { removedAt: 'asc' }, limit, as: workspaces.pick('id') },
  );
  return rows.map(({ id }) => id);
};

export const setWorkspacePurged = async (tx: Tx, id: WorkspaceId, now: Millis): Promise<void> => {
  await updateRows(tx, workspaces, { id }, { purgedAt: now });
};

/** Its mailboxes, those of disposable addresses and of removed agents too. */
export const listMailboxesOf = async (db: Db, workspaceId: WorkspaceId): Promise<MailboxId[]> => {
  const rows = await db
    .selectFrom('mailboxes')
    .innerJoin('agents', 'agents.id', 'mailboxes.agent_id')
    .select('mailboxes.id')
    .where('agents.workspace_id', '=', toBlob(workspaceId))
    .execute();
  return rows.map(({ id }) => fromBlob(id));
};

const OF_WORKSPACE: readonly Owned[] = [
  ['contacts_apart', ['workspace_id', 'one_seq', 'other_seq'], 'workspace_id'],
  ['contacts', ['seq'], 'workspace_id'],
  ['contact_keys', ['workspace_id', 'kind', 'key', 'recency'], 'workspace_id'],
  ['contact_shared_keys', ['workspace_id', 'kind', 'key'], 'workspace_id'],
  ['contact_books', ['workspace_id'], 'workspace_id'],
  ['contact_lists', ['id'], 'workspace_id'],
  ['notes', ['seq'], 'workspace_id'],
  ['mail_drafts', ['id'], 'workspace_id'],
  ['knowledge_books', ['number'], 'workspace_id'],
  ['leak_indexes', ['workspace_id'], 'workspace_id'],
  ['suppressions', ['workspace_id', 'address'], 'workspace_id'],
  ['outcomes', ['workspace_id', 'hour'], 'workspace_id'],
  ['reply_outcomes', ['workspace_id', 'day', 'kind', 'organisation'], 'workspace_id'],
  ['webhooks', ['id'], 'workspace_id'],
  ['webhook_attempts', ['workspace_id', 'at'], 'workspace_id'],
  ['events', ['seq'], 'workspace_id'],
  ['usage', ['scope', 'period'], 'scope'],
  ['mail_days', ['scope', 'day'], 'scope'],
  ['host_days', ['workspace_id', 'day', 'organisation', 'reply'], 'workspace_id'],
];

/** The same of what the agents of a workspace share. */
export const deleteSomeOfWorkspace = async (tx: Tx, id: WorkspaceId, limit: number): Promise<number> => {
  const source = await findAnySource(tx.db, id);
  if (source !== null) {
    await deleteSomeOfSource(tx, source, limit);
    return 1;
  }
  const secrets = (await listSecrets(tx.db, id)).slice(0, limit);
  for (const secret of secrets) await deleteSecret(tx, secret.id);
  return secrets.length > 0 ? secrets.length : deleteSomeOf(tx, OF_WORKSPACE, toBlob(id), limit);
};

/** Keys of the agents, of the domains and of the vault, and rules: few, in one step. */
export const deleteKeysOfWorkspace = async (tx: Tx, id: WorkspaceId): Promise<void> => {
  const agents = tx.db.selectFrom('agents').select('id').where('workspace_id', '=', toBlob(id));
  await tx.db.deleteFrom('api_keys').where('agent_id', 'in', agents).execute();
  await tx.db.deleteFrom('rules').where('agent_id', 'in', agents).execute();
  const mailboxes = tx.db.selectFrom('mailboxes').select('id').where('agent_id', 'in', agents);
  // Former addresses lapse by themselves, and stay reserved until then.
  await tx.db.deleteFrom('addresses').where('mailbox_id', 'in', mailboxes).where('is_primary', '=', 1).execute();
  const domains = tx.db.selectFrom('domains').select('id').where('workspace_id', '=', toBlob(id));
  await deleteRows(tx, vaultKeys, { name: id });
  await tx.db.deleteFrom('dkim_keys').where('domain_id', 'in', domains).execute();
};
