/** Webhook endpoints: where a workspace's events go. */

import { sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, GrantId, WebhookId, WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-statement.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';
import { type DisabledReason, type Withheld, webhooks } from './events-mappings.ts';

export type { DisabledReason } from './events-mappings.ts';

export type Webhook = Entity<typeof webhooks>;

const sealedParts = webhooks.pick('id', 'sealedSecrets', 'sealedHeaders');

const insert = preparedInsert(webhooks);

export const insertWebhook = async (tx: Tx, webhook: Webhook): Promise<void> => {
  await insert(tx, webhook);
};

/** Writes every field. */
export const updateWebhook = async (tx: Tx, webhook: Webhook): Promise<void> => {
  await tx.db.updateTable('webhooks').set(webhooks.write(webhook)).where('id', '=', toBlob(webhook.id)).execute();
};

const byId = preparedSelect((db, { id }: { id: Uint8Array }) =>
  db.selectFrom('webhooks').selectAll().where('id', '=', id),
);

/** An endpoint of any workspace; requests use {@link findWebhook}. */
export const findWebhookById = async (db: Db, id: WebhookId): Promise<Webhook | null> => {
  const [row] = await byId(db, { id: toBlob(id) });
  return row ? webhooks.read(row) : null;
};

export const findWebhook = async (db: Db, workspaceId: WorkspaceId, id: WebhookId): Promise<Webhook | null> => {
  const webhook = await findWebhookById(db, id);
  return webhook?.workspaceId === workspaceId ? webhook : null;
};

/** Oldest first. */
export const listWebhooks = async (db: Db, workspaceId: WorkspaceId): Promise<Webhook[]> => {
  const rows = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('workspace_id', '=', toBlob(workspaceId))
    .orderBy('created_at')
    .execute();
  return rows.map(webhooks.read);
};

/** Endpoints made by an OAuth grant, oldest first. */
export const listWebhooksMadeBy = async (db: Db, grantId: GrantId): Promise<Webhook[]> => {
  const rows = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('made_by_grant', '=', toBlob(grantId))
    .orderBy('created_at')
    .execute();
  return rows.map(webhooks.read);
};

/** Endpoints made by an agent, with its keys or connections, oldest first. */
export const listWebhooksOfAgent = async (db: Db, agentId: AgentId): Promise<Webhook[]> => {
  const rows = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('made_by', '=', toBlob(agentId))
    .orderBy('created_at')
    .execute();
  return rows.map(webhooks.read);
};

/** With null, of every workspace; oldest first. */
export const listWithheldWebhooks = async (
  db: Db,
  withheld: Withheld,
  workspaceId: WorkspaceId | null,
): Promise<Webhook[]> => {
  let query = db.selectFrom('webhooks').selectAll().where('withheld', '=', withheld).orderBy('created_at');
  if (workspaceId) query = query.where('workspace_id', '=', toBlob(workspaceId));
  return (await query.execute()).map(webhooks.read);
};

export const setWithheld = async (tx: Tx, id: WebhookId, withheld: Withheld | null): Promise<void> => {
  await tx.db.updateTable('webhooks').set({ withheld }).where('id', '=', toBlob(id)).execute();
};

/** The sealed parts of every endpoint. */
export const listSealedWebhooks = async (db: Db): Promise<Pick<Webhook, 'id' | 'sealedSecrets' | 'sealedHeaders'>[]> =>
  (await db.selectFrom('webhooks').select(sealedParts.names).execute()).map(sealedParts.read);

export const resealWebhook = async (
  tx: Tx,
  { id, ...sealed }: Pick<Webhook, 'id' | 'sealedSecrets' | 'sealedHeaders'>,
): Promise<void> => {
  await tx.db.updateTable('webhooks').set(webhooks.write(sealed)).where('id', '=', toBlob(id)).execute();
};

export const countWebhooks = async (db: Db, workspaceId: WorkspaceId): Promise<number> => {
  const row = await db
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', toBlob(workspaceId))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
};

export const deleteWebhook = async (tx: Tx, id: WebhookId): Promise<void> => {
  await tx.db.deleteFrom('webhooks').where('id', '=', toBlob(id)).execute();
};

/** Disabled, for any reason. */
export const listInactiveWebhooks = async (db: Db): Promise<{ id: WebhookId; disabledReason: DisabledReason }[]> => {
  const rows = await db.selectFrom('webhooks').select(['id', 'disabled_reason']).where('active', '=', 0).execute();
  return rows.map((row) => ({ id: fromBlob(row.id), disabledReason: row.disabled_reason ?? 'paused' }));
};

export const clearFailures = async (tx: Tx, id: WebhookId): Promise<void> => {
  await tx.db
    .updateTable('webhooks')
    .set({ failure_count: 0 })
    .where('id', '=', toBlob(id))
    .where('failure_count', '!=', 0)
    .execute();
};

/** @returns the failures in a row, or null where the endpoint is disabled or removed, and none is counted */
export const countFailure = async (tx: Tx, id: WebhookId): Promise<number | null> => {
  const row = await tx.db
    .updateTable('webhooks')
    .set((eb) => ({ failure_count: eb('failure_count', '+', sql.lit(1)) }))
    .where('id', '=', toBlob(id))
    .where('active', '=', 1)
    .returning('failure_count')
    .executeTakeFirst();
  return row?.failure_count ?? null;
};

export const disableWebhook = async (tx: Tx, id: WebhookId, reason: DisabledReason, now: Millis): Promise<void> => {
  await tx.db
    .updateTable('webhooks')
    .set({ active: 0, disabled_reason: reason, updated_at: now })
    .where('id', '=', toBlob(id))
    .where('active', '=', 1)
    .execute();
};
