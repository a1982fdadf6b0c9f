/** What waits for each webhook endpoint: a row for each event and endpoint, written with the event. */

import { CompiledQuery, sql } from 'kysely';
import type { Millis } from '../../kernel/clock.ts';
import type { WebhookId, WorkspaceId } from '../../kernel/ids.ts';
import { preparedSelect } from '../prepared-query.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';
import type { StoredEvent } from './event-log.ts';

/** An event on its way to one endpoint. */
export interface WaitingDelivery {
  event: StoredEvent;
  /** Made so far. */
  attempts: number;
  /** The bytes that went out before, where a template made them. */
  body: Buffer | null;
}

/** Endpoints of the workspace that hear of this mailbox and this event, and are on, or off without having been paused. */
const FAN_OUT = `
insert into webhook_deliveries (webhook_id, event_seq, attempts, next_attempt_at)
select id, ?, 0, ? from webhooks
where workspace_id = cast(? as blob) and (mailbox_id is null or mailbox_id = cast(? as blob)) and (active = 1 or disabled_reason <> 'paused')
  and exists (select 1 from json_each(webhooks.events) where value = cast(? as text))
returning webhook_id`;

/** Has an event wait for every endpoint that is to hear of it. @returns which they are */
export const fanOut = async (tx: Tx, event: StoredEvent): Promise<WebhookId[]> => {
  const { seq, createdAt, workspaceId, mailboxId, name } = event;
  const values = [seq, createdAt, toBlob(workspaceId), mailboxId && toBlob(mailboxId), name];
  const { rows } = await tx.db.executeQuery<{ webhook_id: Uint8Array }>(CompiledQuery.raw(FAN_OUT, values));
  return rows.map(({ webhook_id }) => fromBlob(webhook_id));
};

const dueRows = preparedSelect((db, webhookId: Uint8Array, now: number, limit: number) =>
  db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('events as e', 'e.seq', 'd.event_seq')
    .select(['d.event_seq', 'd.attempts', 'd.body', 'e.id', 'e.workspace_id', 'e.mailbox_id', 'e.name', 'e.data'])
    .select('e.created_at')
    .where('d.webhook_id', '=', webhookId)
    .where('d.next_attempt_at', 'is not', null)
    .where('d.next_attempt_at', '<=', now)
    .orderBy('d.next_attempt_at')
    .orderBy('d.event_seq')
    .limit(limit),
);

/** What is due for an endpoint, the longest due first. */
export const listDueForWebhook = async (
  db: Db,
  id: WebhookId,
  now: Millis,
  limit: number,
): Promise<WaitingDelivery[]> => {
  const rows = await dueRows(db, toBlob(id), now, limit);
  return rows.map((row) => ({
    event: {
      seq: row.event_seq,
      id: row.id,
      workspaceId: fromBlob(row.workspace_id),
      mailboxId: row.mailbox_id && fromBlob(row.mailbox_id),
      name: row.name,
      data: JSON.parse(row.data) as Record<string, unknown>,
      createdAt: row.created_at,
    },
    attempts: row.attempts,
    body: row.body && Buffer.from(row.body),
  }));
};

/** When something is due next, after `now`; null where nothing is to come. */
export const nextDueForWebhook = async (db: Db, id: WebhookId, now: Millis): Promise<Millis | null> => {
  const row = await db
    .selectFrom('webhook_deliveries')
    .select('next_attempt_at')
    .where('webhook_id', '=', toBlob(id))
    .where('next_attempt_at', '>', now)
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at ?? null;
};

/** Active endpoints for which something is due, or will be. */
export const listWebhooksWithWaiting = async (db: Db): Promise<WebhookId[]> => {
  const { rows } = await sql<{ id: Uint8Array }>`
    select id from webhooks where active = 1 and exists (
      select 1 from webhook_deliveries where webhook_id = webhooks.id and next_attempt_at is not null
    )`.execute(db);
  return rows.map(({ id }) => fromBlob(id));
};

interface Attempted {
  attempts: number;
  /** Null: it is over. */
  nextAttemptAt: Millis | null;
  at: Millis;
  /** Null: the event's envelope. */
  body: Uint8Array | null;
}

export const recordWebhookAttempt = async (
  tx: Tx,
  id: WebhookId,
  eventSeq: number,
  { attempts, nextAttemptAt, at, body }: Attempted,
): Promise<void> => {
  await sql`
    update webhook_deliveries
    set attempts = ${attempts}, next_attempt_at = ${nextAttemptAt}, last_attempt_at = ${at}, body = ${body}
    where webhook_id = ${toBlob(id)} and event_seq = ${eventSeq}`.execute(tx.db);
};

/** Makes everything that waits for an endpoint due. */
export const hastenDeliveries = async (tx: Tx, id: WebhookId, now: Millis): Promise<void> => {
  await sql`
    update webhook_deliveries set next_attempt_at = ${now}
    where webhook_id = ${toBlob(id)} and next_attempt_at > ${now}`.execute(tx.db);
};

/**
 * Drops some of what waits for an endpoint.
 * @param until only events up to this seq; null: all
 * @returns how many were dropped, at most `limit`
 */
export const dropWaiting = async (tx: Tx, id: WebhookId, until: number | null, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set next_attempt_at = null
    where webhook_id = ${toBlob(id)} and event_seq in (
      select event_seq from webhook_deliveries
      where webhook_id = ${toBlob(id)} and next_attempt_at is not null
        and event_seq <= ${until ?? Number.MAX_SAFE_INTEGER}
      limit ${limit}
    )`.execute(tx.db);
  return Number(numAffectedRows ?? 0n);
};

/** Deletes some of an endpoint's rows; of one that is gone, they are nobody's. @returns how many, at most `limit` */
export const deleteDeliveriesOf = async (tx: Tx, id: WebhookId, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where webhook_id = ${toBlob(id)} and event_seq in (
      select event_seq from webhook_deliveries where webhook_id = ${toBlob(id)} limit ${limit}
    )`.execute(tx.db);
  return Number(numAffectedRows ?? 0n);
};

/** Deletes some of the rows of events up to a seq. @returns how many, at most `limit` */
export const purgeDeliveriesUntil = async (tx: Tx, until: number, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where (webhook_id, event_seq) in (
      select webhook_id, event_seq from webhook_deliveries where event_seq <= ${until} limit ${limit}
    )`.execute(tx.db);
  return Number(numAffectedRows ?? 0n);
};

/** What was sent of an event to an endpoint. */
export interface SentDelivery {
  webhookId: WebhookId;
  event: StoredEvent;
  body: Buffer | null;
}

/**
 * What an attempt at an event sent, by the event's id: to the preferred endpoint where it was sent there, else to the one
 * that was sent it last.
 * @returns null where nothing of that id was sent in this workspace, or its endpoint is gone
 */
export const findSentDelivery = async (
  db: Db,
  workspaceId: WorkspaceId,
  eventId: string,
  preferred: WebhookId | null,
): Promise<SentDelivery | null> => {
  const row = await db
    .selectFrom('events as e')
    .innerJoin('webhook_deliveries as d', 'd.event_seq', 'e.seq')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .select(['d.webhook_id', 'd.body', 'e.seq', 'e.id', 'e.mailbox_id', 'e.name', 'e.data', 'e.created_at'])
    .where('e.id', '=', eventId)
    .where('e.workspace_id', '=', toBlob(workspaceId))
    .where('d.last_attempt_at', 'is not', null)
    .orderBy((eb) => eb('d.webhook_id', '=', preferred === null ? Buffer.alloc(0) : toBlob(preferred)), 'desc')
    .orderBy('d.last_attempt_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) return null;
  return {
    webhookId: fromBlob(row.webhook_id),
    event: {
      seq: row.seq,
      id: row.id,
      workspaceId,
      mailboxId: row.mailbox_id && fromBlob(row.mailbox_id),
      name: row.name,
      data: JSON.parse(row.data) as Record<string, unknown>,
      createdAt: row.created_at,
    },
    body: row.body && Buffer.from(row.body),
  };
};
