/** Webhook endpoints: where a workspace's events go. */

import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, GrantId, WebhookId, WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { above, countRows, deleteRows, findRow, findValue, listRows, plus, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { type DisabledReason, type Withheld, webhooks } from './events-mappings.ts';

export type { DisabledReason } from './events-mappings.ts';

export type Webhook = Entity<typeof webhooks>;

const sealedParts = webhooks.pick('id', 'sealedSecrets', 'sealedHeaders');

export const insertWebhook = preparedInsert(webhooks);

/** Writes every field. */
export const updateWebhook = (tx: Tx, webhook: Webhook): Promise<void> =>
  updateRows(tx, webhooks, { id: webhook.id }, webhook);

/** An endpoint of any workspace; requests use {@link findWebhook}. */
export const findWebhookById = (db: Db, id: WebhookId): Promise<Webhook | null> => findRow(db, webhooks, { id });

export const findWebhook = async (db: Db, workspaceId: WorkspaceId, id: WebhookId): Promise<Webhook | null> => {
  const webhook = await findWebhookById(db, id);
  return webhook?.workspaceId === workspaceId ? webhook : null;
};

/** Oldest first. */
export const listWebhooks = (db: Db, workspaceId: WorkspaceId): Promise<Webhook[]> =>
  listRows(db, webhooks, { workspaceId }, { order: { createdAt: 'asc' } });

/** Endpoints made by an OAuth grant, oldest first. */
export const listWebhooksMadeBy = (db: Db, grantId: GrantId): Promise<Webhook[]> =>
  listRows(db, webhooks, { madeByGrant: grantId }, { order: { createdAt: 'asc' } });

/** Endpoints made by an agent, with its keys or connections, oldest first. */
export const listWebhooksOfAgent = (db: Db, agentId: AgentId): Promise<Webhook[]> =>
  listRows(db, webhooks, { madeBy: agentId }, { order: { createdAt: 'asc' } });

/** With null, of every workspace; oldest first. */
export const listWithheldWebhooks = (db: Db, withheld: Withheld, workspaceId: WorkspaceId | null): Promise<Webhook[]> =>
  listRows(db, webhooks, { withheld, ...(workspaceId && { workspaceId }) }, { order: { createdAt: 'asc' } });

export const setWithheld = (tx: Tx, id: WebhookId, withheld: Withheld | null): Promise<void> =>
  updateRows(tx, webhooks, { id }, { withheld });

/** The sealed parts of every endpoint. */
export const listSealedWebhooks = (db: Db): Promise<Pick<Webhook, 'id' | 'sealedSecrets' | 'sealedHeaders'>[]> =>
  listRows(db, webhooks, {}, { as: sealedParts });

export const resealWebhook = (
  tx: Tx,
  { id, ...sealed }: Pick<Webhook, 'id' | 'sealedSecrets' | 'sealedHeaders'>,
): Promise<void> => updateRows(tx, webhooks, { id }, sealed);

export const countWebhooks = (db: Db, workspaceId: WorkspaceId): Promise<number> =>
  countRows(db, webhooks, { workspaceId });

export const deleteWebhook = (tx: Tx, id: WebhookId): Promise<void> => deleteRows(tx, webhooks, { id });

/** Disabled, for any reason. */
export const listInactiveWebhooks = async (db: Db): Promise<{ id: WebhookId; disabledReason: DisabledReason }[]> => {
  const inactive = await listRows(db, webhooks, { active: false }, { as: webhooks.pick('id', 'disabledReason') });
  return inactive.map(({ id, disabledReason }) => ({ id, disabledReason: disabledReason ?? 'paused' }));
};

/** An endpoint as an attempt met it. What it answered says nothing of one that was changed meanwhile. */
type Met = Pick<Webhook, 'id' | 'updatedAt'>;

export const clearFailures = (tx: Tx, { id, updatedAt }: Met): Promise<void> =>
  updateRows(tx, webhooks, { id, updatedAt, failureCount: above(0) }, { failureCount: 0 });

/** Adds a failed delivery. */
export const countFailure = (tx: Tx, { id, updatedAt }: Met): Promise<void> =>
  updateRows(tx, webhooks, { id, updatedAt, active: true }, { failureCount: plus(1) });

/** Failed deliveries in a row; null where the endpoint is changed, disabled or removed, and none is counted. */
export const findFailures = (db: Db, { id, updatedAt }: Met): Promise<number | null> =>
  findValue(db, webhooks, 'failureCount', { id, updatedAt, active: true });

/** Defers all that waits for an endpoint, in its order. */
export const deferWebhook = (tx: Tx, { id, updatedAt }: Met, until: Millis): Promise<void> =>
  updateRows(tx, webhooks, { id, updatedAt }, { deferredUntil: until });

export const disableWebhook = (tx: Tx, id: WebhookId, reason: DisabledReason, now: Millis): Promise<void> =>
  updateRows(tx, webhooks, { id, active: true }, { active: false, disabledReason: reason, updatedAt: now });
