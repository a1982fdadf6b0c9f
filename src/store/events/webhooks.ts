/** Webhook endpoints: where a workspace's events go. */

import { type Selectable, sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId, WebhookId, WorkspaceId } from '../../kernel/ids.ts';
import { preparedSelect } from '../prepared-query.ts';
import type { Schema } from '../schema.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob, toFlag } from '../values.ts';

/** Why an endpoint is off. Paused by its owner, it holds no events; otherwise it does. */
export type DisabledReason = 'paused' | 'failures' | 'gone';

export interface Webhook {
  id: WebhookId;
  workspaceId: WorkspaceId;
  /** Null: the whole workspace's events. */
  mailboxId: MailboxId | null;
  url: string;
  events: string[];
  sealedSecrets: Buffer;
  headerNames: string[];
  /** Null: none. */
  sealedHeaders: Buffer | null;
  /** JSON text. */
  template: string | null;
  active: boolean;
  disabledReason: DisabledReason | null;
  /** Failed attempts since the last that was not. */
  failureCount: number;
  createdAt: Millis;
  updatedAt: Millis;
}

const fromRow = (row: Selectable<Schema['webhooks']>): Webhook => ({
  id: fromBlob(row.id),
  workspaceId: fromBlob(row.workspace_id),
  mailboxId: row.mailbox_id && fromBlob(row.mailbox_id),
  url: row.url,
  events: JSON.parse(row.events) as string[],
  sealedSecrets: Buffer.from(row.sealed_secrets),
  headerNames: JSON.parse(row.header_names) as string[],
  sealedHeaders: row.sealed_headers && Buffer.from(row.sealed_headers),
  template: row.template,
  active: row.active === 1,
  disabledReason: row.disabled_reason,
  failureCount: row.failure_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (webhook: Webhook) => ({
  workspace_id: toBlob(webhook.workspaceId),
  mailbox_id: webhook.mailboxId && toBlob(webhook.mailboxId),
  url: webhook.url,
  events: JSON.stringify(webhook.events),
  sealed_secrets: webhook.sealedSecrets,
  header_names: JSON.stringify(webhook.headerNames),
  sealed_headers: webhook.sealedHeaders,
  template: webhook.template,
  active: toFlag(webhook.active),
  disabled_reason: webhook.disabledReason,
  failure_count: webhook.failureCount,
  created_at: webhook.createdAt,
  updated_at: webhook.updatedAt,
});

export const insertWebhook = async (tx: Tx, webhook: Webhook): Promise<void> => {
  await tx.db
    .insertInto('webhooks')
    .values({ id: toBlob(webhook.id), ...toRow(webhook) })
    .execute();
};

/** Writes every field. */
export const updateWebhook = async (tx: Tx, webhook: Webhook): Promise<void> => {
  await tx.db.updateTable('webhooks').set(toRow(webhook)).where('id', '=', toBlob(webhook.id)).execute();
};

const byId = preparedSelect((db, id: Uint8Array) => db.selectFrom('webhooks').selectAll().where('id', '=', id));

/** An endpoint of whatever workspace; for requests there is {@link findWebhook}. */
export const findWebhookById = async (db: Db, id: WebhookId): Promise<Webhook | null> => {
  const [row] = await byId(db, toBlob(id));
  return row ? fromRow(row) : null;
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
  return rows.map(fromRow);
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

/** Those that are off, whatever turned them off. */
export const listInactiveWebhooks = async (db: Db): Promise<{ id: WebhookId; disabledReason: DisabledReason }[]> => {
  const rows = await db.selectFrom('webhooks').select(['id', 'disabled_reason']).where('active', '=', 0).execute();
  return rows.map((row) => ({ id: fromBlob(row.id), disabledReason: row.disabled_reason ?? 'paused' }));
};

export const clearFailures = async (tx: Tx, id: WebhookId): Promise<void> => {
  await sql`update webhooks set failure_count = 0 where id = ${toBlob(id)} and failure_count <> 0`.execute(tx.db);
};

/** @returns the failures in a row, or null where the endpoint is off or gone, and none is counted */
export const countFailure = async (tx: Tx, id: WebhookId): Promise<number | null> => {
  const { rows } = await sql<{ failure_count: number }>`
    update webhooks set failure_count = failure_count + 1 where id = ${toBlob(id)} and active = 1
    returning failure_count`.execute(tx.db);
  return rows[0]?.failure_count ?? null;
};

export const turnOffWebhook = async (tx: Tx, id: WebhookId, reason: DisabledReason, now: Millis): Promise<void> => {
  await tx.db
    .updateTable('webhooks')
    .set({ active: 0, disabled_reason: reason, updated_at: now })
    .where('id', '=', toBlob(id))
    .where('active', '=', 1)
    .execute();
};
