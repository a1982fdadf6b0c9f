/** The outbound queue: one row per recipient, from acceptance to outcome. */

import type { Selectable } from 'kysely';
import type { Address } from '../kernel/address.ts';
import type { Millis } from '../kernel/clock.ts';
import type { DeliveryId, MailboxId, MessageId } from '../kernel/ids.ts';
import type { Schema } from './schema.ts';
import type { Db, Tx } from './store.ts';
import { fromBlob, toBlob } from './values.ts';

export type DeliveryStatus = Schema['deliveries']['status'];

export interface Delivery {
  id: DeliveryId;
  messageId: MessageId;
  mailboxId: MailboxId;
  address: Address;
  domain: string;
  status: DeliveryStatus;
  attempts: number;
  createdAt: Millis;
  /** Null once the outcome is final. */
  nextAttemptAt: Millis | null;
  lastAttemptAt: Millis | null;
  code: number | null;
  enhancedCode: string | null;
  response: string | null;
  remoteHost: string | null;
  tls: string | null;
  transcript: string | null;
}

const fromRow = (row: Selectable<Schema['deliveries']>): Delivery => ({
  id: fromBlob(row.id),
  messageId: fromBlob(row.message_id),
  mailboxId: fromBlob(row.mailbox_id),
  address: row.address as Address,
  domain: row.domain,
  status: row.status,
  attempts: row.attempts,
  createdAt: row.created_at,
  nextAttemptAt: row.next_attempt_at,
  lastAttemptAt: row.last_attempt_at,
  code: row.code,
  enhancedCode: row.enhanced_code,
  response: row.response,
  remoteHost: row.remote_host,
  tls: row.tls,
  transcript: row.transcript,
});

export type NewDelivery = Pick<Delivery, 'id' | 'messageId' | 'mailboxId' | 'address' | 'domain'>;

/** @param dueAt when the first attempt may be made: now, or later for mail that is slowed down */
export const insertDeliveries = async (
  tx: Tx,
  deliveries: readonly NewDelivery[],
  now: Millis,
  dueAt: Millis,
): Promise<void> => {
  for (const [position, delivery] of deliveries.entries()) {
    await tx.db
      .insertInto('deliveries')
      .values({
        id: toBlob(delivery.id),
        message_id: toBlob(delivery.messageId),
        mailbox_id: toBlob(delivery.mailboxId),
        position,
        address: delivery.address,
        domain: delivery.domain,
        status: 'queued',
        attempts: 0,
        created_at: now,
        next_attempt_at: dueAt,
        leased_until: 0,
      })
      .execute();
  }
};

/**
 * Takes up to `limit` rows that are due and that nobody holds, and leases them until `until`: while the lease lasts
 * nobody else takes them, and after it they are due again, whatever became of who took them.
 */
export const claimDueDeliveries = async (tx: Tx, now: Millis, until: Millis, limit: number): Promise<Delivery[]> => {
  const due = await tx.db
    .selectFrom('deliveries')
    .selectAll()
    .where('next_attempt_at', '<=', now)
    .where('leased_until', '<=', now)
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute();
  if (due.length > 0) {
    await tx.db
      .updateTable('deliveries')
      .set({ leased_until: until })
      .where(
        'id',
        'in',
        due.map(({ id }) => id),
      )
      .execute();
  }
  return due.map(fromRow);
};

/** When the next row is due that nobody holds; null where the queue is empty. */
export const nextDueTime = async (db: Db, now: Millis): Promise<Millis | null> => {
  const row = await db
    .selectFrom('deliveries')
    .select('next_attempt_at')
    .where('next_attempt_at', 'is not', null)
    .where('leased_until', '<=', now)
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at ?? null;
};

export const renewLease = async (tx: Tx, id: DeliveryId, until: Millis): Promise<void> => {
  await tx.db.updateTable('deliveries').set({ leased_until: until }).where('id', '=', toBlob(id)).execute();
};

/** A start of the daemon voids the leases of the process before it: the lock on the data directory says it is gone. */
export const voidLeases = async (tx: Tx): Promise<void> => {
  await tx.db.updateTable('deliveries').set({ leased_until: 0 }).where('leased_until', '>', 0).execute();
};

/** Written before DATA, so that a row whose process died says that an attempt was under way. */
export const recordAttempt = async (tx: Tx, id: DeliveryId, now: Millis): Promise<void> => {
  await tx.db
    .updateTable('deliveries')
    .set((eb) => ({ attempts: eb('attempts', '+', 1), last_attempt_at: now }))
    .where('id', '=', toBlob(id))
    .execute();
};

export type DeliveryResult = Pick<
  Delivery,
  'status' | 'nextAttemptAt' | 'code' | 'enhancedCode' | 'response' | 'remoteHost' | 'tls' | 'transcript'
>;

/** Writes what became of an attempt and gives the row back. */
export const recordResult = async (tx: Tx, id: DeliveryId, result: DeliveryResult): Promise<void> => {
  await tx.db
    .updateTable('deliveries')
    .set({
      status: result.status,
      next_attempt_at: result.nextAttemptAt,
      leased_until: 0,
      code: result.code,
      enhanced_code: result.enhancedCode,
      response: result.response,
      remote_host: result.remoteHost,
      tls: result.tls,
      transcript: result.transcript,
    })
    .where('id', '=', toBlob(id))
    .execute();
};

export const findDelivery = async (db: Db, id: DeliveryId): Promise<Delivery | null> => {
  const row = await db.selectFrom('deliveries').selectAll().where('id', '=', toBlob(id)).executeTakeFirst();
  return row ? fromRow(row) : null;
};

/** In the order of the message's recipients. */
export const listDeliveriesOf = async (db: Db, messageId: MessageId): Promise<Delivery[]> => {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('message_id', '=', toBlob(messageId))
    .orderBy('position')
    .execute();
  return rows.map(fromRow);
};

/** What is still under way, soonest first. */
export const listQueue = async (db: Db, limit: number): Promise<Delivery[]> => {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('next_attempt_at', 'is not', null)
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute();
  return rows.map(fromRow);
};

/** Writes what a bounce or a complaint told; what is known of the session itself stays. Nothing is attempted any more. */
export const recordReport = async (
  tx: Tx,
  id: DeliveryId,
  { status, code, enhancedCode, response }: Pick<Delivery, 'status' | 'code' | 'enhancedCode' | 'response'>,
): Promise<void> => {
  await tx.db
    .updateTable('deliveries')
    .set({ status, code, enhanced_code: enhancedCode, response, next_attempt_at: null })
    .where('id', '=', toBlob(id))
    .execute();
};

/** Whether a bounce or a complaint has told what became of a delivery. */
export const isReported = async (db: Db, id: DeliveryId): Promise<boolean> => {
  const row = await db.selectFrom('deliveries').select('status').where('id', '=', toBlob(id)).executeTakeFirst();
  return row?.status === 'bounced' || row?.status === 'complained';
};
