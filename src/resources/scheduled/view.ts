/** Stored scheduled sends in the interface's shape. */

import { formatNamed } from '../../kernel/address.ts';
import { isoTime } from '../../kernel/clock.ts';
import { byTimeAndId } from '../../kernel/page.ts';
import { hintOfReason } from '../../outbound/gate/rejections.ts';
import type { ScheduledSend } from '../../store/sending/scheduled-sends.ts';

/** The order of their lists. */
export const soonestFirst = byTimeAndId<'scheduled', ScheduledSend>(({ sendAt }) => sendAt);

export const viewScheduled = (scheduled: ScheduledSend) => ({
  scheduled_id: scheduled.id,
  subject: scheduled.subject,
  to: scheduled.to.map(formatNamed),
  send_at: isoTime(scheduled.sendAt),
  booked_at: isoTime(scheduled.bookedAt),
});

export const viewScheduledOutcome = (scheduled: ScheduledSend) => ({
  scheduled_id: scheduled.id,
  status: scheduled.status,
  subject: scheduled.subject,
  to: scheduled.to.map(formatNamed),
  send_at: isoTime(scheduled.sendAt),
  message_id: scheduled.messageId,
  pending_id: scheduled.pendingId,
  failure_reason: scheduled.failureReason,
  hint: hintOfReason(scheduled.failureReason),
  cancelled_by: scheduled.cancelledBy,
});
