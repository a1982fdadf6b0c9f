/** What becomes of a mail that is sent: one row per recipient, from acceptance to outcome. The queue is queue.ts. */

import type { Selectable } from 'kysely';
import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { DeliveryId, MailboxId, MessageId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect } from '../prepared-query.ts';
import type { Schema } from '../schema.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';

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
  /** Whether an attempt is under way. */
  attempting: boolean;
  /** Whether a person asked for the next attempt. */
  insisted: boolean;
  code: number | null;
  enhancedCode: string | null;
  response: string | null;
  remoteHost: string | null;
  tls: string | null;
  transcript: string | null;
}

export const deliveryFromRow = (row: Selectable<Schema['deliveries']>): Delivery => ({
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
  attempting: row.attempting === 1,
  insisted: row.insisted === 1,
  code: row.code,
  enhancedCode: row.enhanced_code,
  response: row.response,
  remoteHost: row.remote_host,
  tls: row.tls,
  transcript: row.transcript,
});

export type NewDelivery = Pick<Delivery, 'id' | 'messageId' | 'mailboxId' | 'address' | 'domain'>;

const insertRow = preparedInsert('deliveries', [
  'id',
  'message_id',
  'mailbox_id',
  'position',
  'address',
  'domain',
  'status',
  'attempts',
  'created_at',
  'next_attempt_at',
  'leased_until',
]);

/** @param dueAt when the first attempt may be made: now, or later for mail that is slowed down */
export const insertDeliveries = async (
  tx: Tx,
  deliveries: readonly NewDelivery[],
  now: Millis,
  dueAt: Millis,
): Promise<void> => {
  for (const [position, delivery] of deliveries.entries()) {
    await insertRow(tx, {
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
    });
  }
};

export const findDelivery = async (db: Db, id: DeliveryId): Promise<Delivery | null> => {
  const row = await db.selectFrom('deliveries').selectAll().where('id', '=', toBlob(id)).executeTakeFirst();
  return row ? deliveryFromRow(row) : null;
};

const byMessage = preparedSelect((db, messageId: Uint8Array) =>
  db.selectFrom('deliveries').selectAll().where('message_id', '=', messageId).orderBy('position'),
);

/** In the order of the message's recipients. */
export const listDeliveriesOf = async (db: Db, messageId: MessageId): Promise<Delivery[]> => {
  const rows = await byMessage(db, toBlob(messageId));
  return rows.map(deliveryFromRow);
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

const statusById = preparedSelect((db, id: Uint8Array) =>
  db.selectFrom('deliveries').select('status').where('id', '=', id),
);

/** Whether a bounce or a complaint has told what became of a delivery. */
export const isReported = async (db: Db, id: DeliveryId): Promise<boolean> => {
  const [row] = await statusById(db, toBlob(id));
  return row?.status === 'bounced' || row?.status === 'complained';
};
