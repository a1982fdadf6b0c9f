/** What an agent sees of its bookings, and cancelling them. */

import { formatNamed } from '../../kernel/address.ts';
import { mailboxOf } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/operation.ts';
import { byTimeAndId, readPage } from '../../kernel/page.ts';
import {
  endBooking,
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

const soonestFirst = byTimeAndId<'scheduled', ScheduledSend>(({ sendAt }) => sendAt);

export const createScheduled = ({ store }: { store: Store }): Handlers<typeof scheduledContract> => ({
  listScheduled: async (caller, input) => {
    const { rows, next_cursor } = await readPage(input, soonestFirst, (after, limit) =>
      listScheduledSends(store.read, mailboxOf(caller), after, limit),
    );
    return { scheduled: rows.map(viewScheduled), next_cursor };
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
      const cancelled = booking.status === 'cancelled' || (await endBooking(tx, id, { status: 'cancelled' }));
      return cancelled ? { scheduled_id: id, cancelled: true } : viewOutcome(booking);
    }),
});
