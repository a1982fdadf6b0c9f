/** Booked sends: kept as they were asked for until their time comes. */

import { type Selectable, sql } from 'kysely';
import type { NamedAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { AgentId, MailboxId, MessageId, PendingId, ScheduledId } from '../../kernel/ids.ts';
import type { TimeAndId } from '../../kernel/page.ts';
import type { Schema } from '../schema.ts';
import type { Db, Tx } from '../store.ts';
import { fromBlob, toBlob } from '../values.ts';

export interface ScheduledSend {
  id: ScheduledId;
  agentId: AgentId;
  mailboxId: MailboxId;
  status: 'pending' | 'sent' | 'held' | 'failed' | 'cancelled';
  to: NamedAddress[];
  subject: string;
  sendAt: Millis;
  bookedAt: Millis;
  /** Attempts that failed by a fault of the instance. */
  attempts: number;
  messageId: MessageId | null;
  pendingId: PendingId | null;
  failureReason: string | null;
}

const COLUMNS = [
  'id',
  'agent_id',
  'mailbox_id',
  'status',
  'to_list',
  'subject',
  'send_at',
  'booked_at',
  'attempts',
  'message_id',
  'pending_id',
  'failure_reason',
] as const;

const fromRow = (row: Pick<Selectable<Schema['scheduled_sends']>, (typeof COLUMNS)[number]>): ScheduledSend => ({
  id: fromBlob(row.id),
  agentId: fromBlob(row.agent_id),
  mailboxId: fromBlob(row.mailbox_id),
  status: row.status,
  to: JSON.parse(row.to_list) as NamedAddress[],
  subject: row.subject,
  sendAt: row.send_at,
  bookedAt: row.booked_at,
  attempts: row.attempts,
  messageId: row.message_id && fromBlob(row.message_id),
  pendingId: row.pending_id && fromBlob(row.pending_id),
  failureReason: row.failure_reason,
});

type NewScheduled = Pick<ScheduledSend, 'id' | 'agentId' | 'mailboxId' | 'to' | 'subject' | 'sendAt' | 'bookedAt'>;

/** @param request the send as it was asked for, compressed by who made it */
export const insertScheduledSend = async (tx: Tx, booking: NewScheduled, request: Uint8Array): Promise<void> => {
  await tx.db
    .insertInto('scheduled_sends')
    .values({
      id: toBlob(booking.id),
      agent_id: toBlob(booking.agentId),
      mailbox_id: toBlob(booking.mailboxId),
      status: 'pending',
      to_list: JSON.stringify(booking.to),
      subject: booking.subject,
      request,
      send_at: booking.sendAt,
      due_at: booking.sendAt,
      booked_at: booking.bookedAt,
      message_id: null,
      pending_id: null,
      failure_reason: null,
    })
    .execute();
};

export const findScheduledSend = async (
  db: Db,
  mailboxId: MailboxId,
  id: ScheduledId,
): Promise<ScheduledSend | null> => {
  const row = await db
    .selectFrom('scheduled_sends')
    .select(COLUMNS)
    .where('id', '=', toBlob(id))
    .where('mailbox_id', '=', toBlob(mailboxId))
    .executeTakeFirst();
  return row ? fromRow(row) : null;
};

/** Not yet gone, soonest first. */
export const listScheduledSends = async (
  db: Db,
  mailboxId: MailboxId,
  after: TimeAndId<'scheduled'> | null,
  limit: number,
): Promise<ScheduledSend[]> => {
  let query = db
    .selectFrom('scheduled_sends')
    .select(COLUMNS)
    .where('mailbox_id', '=', toBlob(mailboxId))
    .where('status', '=', sql.lit('pending'))
    .orderBy('send_at')
    .orderBy('id')
    .limit(limit);
  if (after) {
    query = query.where((eb) => eb(eb.refTuple('send_at', 'id'), '>', eb.tuple(after.at, toBlob(after.id))));
  }
  return (await query.execute()).map(fromRow);
};

export interface DueBooking {
  booking: ScheduledSend;
  request: Uint8Array;
}

export const listDueBookings = async (db: Db, now: Millis, limit: number): Promise<DueBooking[]> => {
  const rows = await db
    .selectFrom('scheduled_sends')
    .select([...COLUMNS, 'request'])
    .where('status', '=', sql.lit('pending'))
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute();
  return rows.flatMap(({ request, ...row }) => (request ? [{ booking: fromRow(row), request }] : []));
};

/** When the next booking is due; null where none is open. */
export const nextBookingTime = async (db: Db): Promise<Millis | null> => {
  const row = await db
    .selectFrom('scheduled_sends')
    .select('due_at')
    .where('status', '=', sql.lit('pending'))
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? null;
};

/** Has a booking that failed by a fault of the instance tried again at `dueAt`. */
export const deferBooking = async (tx: Tx, { id, attempts }: ScheduledSend, dueAt: Millis): Promise<void> => {
  await tx.db
    .updateTable('scheduled_sends')
    .set({ due_at: dueAt, attempts: attempts + 1 })
    .where('id', '=', toBlob(id))
    .where('status', '=', 'pending')
    .execute();
};

export type BookingResult =
  | { status: 'sent'; messageId: MessageId }
  | { status: 'held'; pendingId: PendingId }
  | { status: 'failed'; failureReason: string }
  | { status: 'cancelled' };

/** Ends a booking that is still open. @returns false where it was cancelled, or on its way, before */
export const endBooking = async (tx: Tx, id: ScheduledId, result: BookingResult): Promise<boolean> => {
  const updated = await tx.db
    .updateTable('scheduled_sends')
    .set({
      status: result.status,
      request: null,
      ...('messageId' in result && { message_id: toBlob(result.messageId) }),
      ...('pendingId' in result && { pending_id: toBlob(result.pendingId) }),
      ...('failureReason' in result && { failure_reason: result.failureReason }),
    })
    .where('id', '=', toBlob(id))
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return updated.numUpdatedRows > 0n;
};
