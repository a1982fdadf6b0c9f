/** Events that wait for each webhook endpoint: a row for each event and endpoint, written with the event. */

import type { Millis } from '../../kernel/clock.ts';
import { idFromBytes, idToBytes, type WebhookId, type WorkspaceId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedChange, preparedSelect } from '../prepared-statement.ts';
import { above, atMost, deleteSome, findValue, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import type { StoredEvent } from './event-log.ts';
import { events, webhookDeliveries } from './events-mappings.ts';

const pending = webhookDeliveries.pick('attempts', 'nextAttemptAt', 'body');
const sentBody = webhookDeliveries.pick('body');

/** An event on its way to one endpoint. */
export type WaitingDelivery = Entity<typeof pending> & { event: StoredEvent };

const queueForEach = preparedChange(
  (db, event: { workspaceId: Uint8Array; mailboxId: Uint8Array | null; seq: number; at: number; named: string }) =>
    db
      .insertInto('webhook_deliveries')
      .columns(['webhook_id', 'event_seq', 'attempts', 'next_attempt_at'])
      .expression(
        db
          .selectFrom('webhooks')
          .select((eb) => [
            'id',
            eb.val(event.seq).as('event_seq'),
            eb.lit(0).as('attempts'),
            eb.val(event.at).as('at'),
          ])
          .where('workspace_id', '=', event.workspaceId)
          .where((eb) => eb.or([eb('mailbox_id', 'is', null), eb('mailbox_id', '=', event.mailboxId)]))
          .where((eb) => eb.or([eb('active', '=', 1), eb('disabled_reason', 'is distinct from', 'paused')]))
          .where('withheld', 'is', null)
          .where('events', 'like', event.named),
      )
      .returning('webhook_id'),
);

/**
 * Queues an event for every endpoint of its workspace that asks for it: those enabled, and those disabled but not paused.
 * @returns the endpoints, once the transaction is committed
 */
export const fanOut = (
  tx: Tx,
  { seq, createdAt, workspaceId, mailboxId, name }: StoredEvent,
): (() => readonly WebhookId[]) => {
  const ofMailbox = { workspaceId: idToBytes(workspaceId), mailboxId: mailboxId && idToBytes(mailboxId) };
  const queued = queueForEach(tx, { ...ofMailbox, seq, at: createdAt, named: `%"${name}"%` });
  return () => queued().map(({ webhook_id }) => idFromBytes(webhook_id));
};

const dueRows = preparedSelect((db, { webhookId, now, limit }: { webhookId: Uint8Array; now: number; limit: number }) =>
  db
    .selectFrom('webhook_deliveries')
    .innerJoin('events', 'events.seq', 'webhook_deliveries.event_seq')
    .select(['webhook_deliveries.attempts', 'webhook_deliveries.next_attempt_at', 'webhook_deliveries.body'])
    .select(events.qualifiedNames)
    .where('webhook_deliveries.webhook_id', '=', webhookId)
    .where('webhook_deliveries.next_attempt_at', '<=', now)
    .orderBy('webhook_deliveries.next_attempt_at')
    .orderBy('webhook_deliveries.event_seq')
    .limit(limit),
);

/** Due for an endpoint, the longest due first. */
export const listDueForWebhook = async (
  db: Db,
  id: WebhookId,
  now: Millis,
  limit: number,
): Promise<WaitingDelivery[]> =>
  (await dueRows(db, { webhookId: idToBytes(id), now, limit })).map((row) => ({
    ...pending.read(row),
    event: events.read(row),
  }));

/** When the next one after `now` is due; null where none is to come. */
export const nextDueForWebhook = (db: Db, webhookId: WebhookId, now: Millis): Promise<Millis | null> => {
  const later = { webhookId, nextAttemptAt: above(now) };
  return findValue(db, webhookDeliveries, 'nextAttemptAt', later, { nextAttemptAt: 'asc' });
};

/** Enabled endpoints for which something is due, or will be. */
export const listWebhooksWithWaiting = async (db: Db): Promise<WebhookId[]> => {
  const rows = await db
    .selectFrom('webhooks')
    .select('id')
    .where('active', '=', 1)
    .where('withheld', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('webhook_deliveries')
          .select('event_seq')
          .whereRef('webhook_id', '=', 'webhooks.id')
          .where('next_attempt_at', 'is not', null),
      ),
    )
    .execute();
  return rows.map(({ id }) => idFromBytes(id));
};

interface Attempted {
  attempts: number;
  /** Null: no further attempt. */
  nextAttemptAt: Millis | null;
  at: Millis;
  /** Null: the event's envelope. */
  body: Buffer | null;
}

export const recordWebhookAttempt = (
  tx: Tx,
  id: WebhookId,
  eventSeq: number,
  { at, ...attempted }: Attempted,
): Promise<void> => updateRows(tx, webhookDeliveries, { webhookId: id, eventSeq }, { ...attempted, lastAttemptAt: at });

/** Makes everything that waits for an endpoint due. */
export const expediteWebhookDeliveries = (tx: Tx, id: WebhookId, now: Millis): Promise<void> =>
  updateRows(tx, webhookDeliveries, { webhookId: id, nextAttemptAt: above(now) }, { nextAttemptAt: now });

/**
 * Drops some of what waits for an endpoint.
 * @param until only events up to this seq; null: all
 * @returns the number dropped, at most `limit`
 */
export const dropWaiting = async (tx: Tx, id: WebhookId, until: number | null, limit: number): Promise<number> => {
  const some = tx.db
    .selectFrom('webhook_deliveries')
    .select('event_seq')
    .where('webhook_id', '=', idToBytes(id))
    .where('next_attempt_at', 'is not', null)
    .where('event_seq', '<=', until ?? Number.MAX_SAFE_INTEGER)
    .limit(limit);
  const { numUpdatedRows } = await tx.db
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at: null })
    .where('webhook_id', '=', idToBytes(id))
    .where('event_seq', 'in', some)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
};

/** Deletes some of the rows of an endpoint that was removed. @returns their number, at most `limit` */
export const deleteDeliveriesOf = (tx: Tx, webhookId: WebhookId, limit: number): Promise<number> =>
  deleteSome(tx, webhookDeliveries, { webhookId }, limit);

/** Deletes some of the rows of events up to a seq. @returns their number, at most `limit` */
export const purgeDeliveriesUntil = (tx: Tx, until: number, limit: number): Promise<number> =>
  deleteSome(tx, webhookDeliveries, { eventSeq: atMost(until) }, limit);

/** An event as it was sent to an endpoint. */
export interface SentDelivery {
  webhookId: WebhookId;
  event: StoredEvent;
  body: Buffer | null;
}

/**
 * A sent event by its id: from the preferred endpoint where it was sent there, else from the latest one.
 * @param among the endpoints that may have it
 * @returns null where this workspace sent no such event, or not to these endpoints
 */
export const findSentDelivery = async (
  db: Db,
  workspaceId: WorkspaceId,
  eventId: string,
  preferred: WebhookId | null,
  among: readonly WebhookId[],
): Promise<SentDelivery | null> => {
  const row = await db
    .selectFrom('events')
    .innerJoin('webhook_deliveries as d', 'd.event_seq', 'events.seq')
    .select(['d.webhook_id', 'd.body'])
    .select(events.qualifiedNames)
    .where('events.id', '=', eventId)
    .where('events.workspace_id', '=', idToBytes(workspaceId))
    .where('d.webhook_id', 'in', among.map(idToBytes))
    .where('d.last_attempt_at', 'is not', null)
    .orderBy((eb) => eb('d.webhook_id', '=', preferred === null ? Buffer.alloc(0) : idToBytes(preferred)), 'desc')
    .orderBy('d.last_attempt_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) return null;
  return { webhookId: idFromBytes(row.webhook_id), event: events.read(row), body: sentBody.read(row).body };
};
