/** Deliveries of sent mail: one row per recipient, from acceptance to outcome. The queue is delivery-queue.ts. */

import type { Millis } from '../../kernel/clock.ts';
import type { DeliveryId, MessageId, RunId } from '../../kernel/ids.ts';
import type { Entity } from '../mapping.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { findRow, listRows, listValues, updateRows } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { deliveries } from './sending-mappings.ts';

/** Without the columns of the queue. */
export const deliveryMapping = deliveries.omit('position', 'dueAt', 'leasedUntil', 'leasedBy');
export type Delivery = Entity<typeof deliveryMapping>;
export type DeliveryStatus = Delivery['status'];
export type NewDelivery = Pick<Delivery, 'id' | 'messageId' | 'mailboxId' | 'address' | 'domain'>;

const UNTRIED = {
  attempting: false,
  insisted: false,
  lane: null,
  lastAttemptAt: null,
  code: null,
  enhancedCode: null,
  response: null,
  remoteHost: null,
  tls: null,
  transcript: null,
} as const;

const insertRow = preparedInsert(deliveries.omit('attempting', 'insisted', 'lane'));

/** The holder of claimed rows: a run of the daemon, until a time. */
export interface Lease {
  by: RunId;
  until: Millis;
}

/**
 * @param dueAt when the first attempt may be made: now, or later for mail that is slowed down
 * @param lease inserts them as claimed; null: they wait for a claim
 */
export const insertDeliveries = async (
  tx: Tx,
  newDeliveries: readonly NewDelivery[],
  now: Millis,
  dueAt: Millis,
  lease: Lease | null = null,
): Promise<Delivery[]> => {
  const queued = { status: 'queued', attempts: 0, createdAt: now, nextAttemptAt: dueAt } as const;
  const inQueue = { dueAt: lease?.until ?? dueAt, leasedUntil: lease?.until ?? 0, leasedBy: lease?.by ?? null };
  for (const [position, { id, messageId, mailboxId, address, domain }] of newDeliveries.entries()) {
    await insertRow(tx, { id, messageId, mailboxId, address, domain, position, ...queued, ...inQueue });
  }
  return newDeliveries.map((each) => ({ ...each, ...queued, ...UNTRIED }));
};

export const findDelivery = (db: Db, id: DeliveryId): Promise<Delivery | null> =>
  findRow(db, deliveries, { id }, { as: deliveryMapping });

/** In the order of the message's recipients. */
export const listDeliveriesOf = async (db: Db, messageId: MessageId): Promise<Delivery[]> =>
  listRows(db, deliveries, { messageId }, { order: { position: 'asc' }, as: deliveryMapping });

export const listDeliveryStatuses = (db: Db, messageId: MessageId): Promise<DeliveryStatus[]> =>
  listValues(db, deliveries, 'status', { messageId });

/**
 * Writes the outcome that a bounce or a complaint reports; what is known of the session stays. No attempt follows, and the
 * result of an attempt in flight is not recorded any more.
 */
export const recordReport = async (
  tx: Tx,
  id: DeliveryId,
  report: Pick<Delivery, 'status' | 'code' | 'enhancedCode' | 'response'>,
): Promise<void> => {
  const ended = { nextAttemptAt: null, dueAt: null, leasedUntil: 0, leasedBy: null, attempting: false };
  await updateRows(tx, deliveries, { id }, { ...report, ...ended });
};
