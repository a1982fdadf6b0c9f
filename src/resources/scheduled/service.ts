/** What an agent sees of its bookings, and cancelling them. */

import { formatNamed } from '../../kernel/address.ts';
import { mailboxOf } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { readTimeAndId, toPage } from '../../kernel/page.ts';
import {
  endScheduledSend,
  findScheduledSend,
  listScheduledSends,
  type ScheduledSend,
} from '../../store/sending/scheduled-sends.ts';
import type { Store } from '../../store/store.ts';
import type { scheduledContract } from './contract.ts';

const viewScheduled = (booking: ScheduledSend) => ({
  scheduled_id: booking.id,
  subject: booking.subject,
  to: booking.to.map(formatNamed),
  send_at: isoTime(booking.sendAt),
  booked_at: isoTime(booking.bookedAt),
});

const viewOutcome = (booking: ScheduledSend) => ({
  scheduled_id: booking.id,
  status: booking.status,
  subject: booking.subject,
  to: booking.to.map(formatNamed),
  send_at: isoTime(booking.sendAt),
  message_id: booking.messageId,
  pending_id: booking.pendingId,
  failure_reason: booking.failureReason,
});

export const createScheduled = ({ store }: { store: Store }): Handlers<typeof scheduledContract> => ({
  listScheduled: async (caller, { limit, cursor }) => {
    const after = readTimeAndId<'scheduled'>(cursor);
    const rows = await listScheduledSends(store.read, mailboxOf(caller), after, limit + 1);
    const { page, next_cursor } = toPage(rows, limit, ({ sendAt, id }) => [sendAt, id]);
    return { scheduled: page.map(viewScheduled), next_cursor };
  },

  getScheduled: async (caller, { id }) => {
    const booking = await findScheduledSend(store.read, mailboxOf(caller), id);
    if (!booking) throw new ApiError('scheduled_not_found');
    return viewOutcome(booking);
  },

  /** Of cancelling and sending one wins: both end the booking, and a booking ends once. */
  cancelScheduled: async (caller, { id }) =>
    store.write(async (tx) => {
      const booking = await findScheduledSend(tx.db, mailboxOf(caller), id);
      if (!booking) throw new ApiError('scheduled_not_found');
      const cancelled = booking.status === 'cancelled' || (await endScheduledSend(tx, id, { status: 'cancelled' }));
      return cancelled ? { scheduled_id: id, cancelled: true } : viewOutcome(booking);
    }),
});
