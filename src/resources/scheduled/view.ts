/** Stored scheduled sends in the interface's shape. */

import { viewOf } from '../../access/view-of.ts';
import { formatBare } from '../../kernel/address.ts';
import { byTimeAndId } from '../../kernel/page.ts';
import { hintOfReason } from '../../outbound/gate/rejections.ts';
import type { ScheduledSend } from '../../store/sending/scheduled-sends.ts';
import { scheduledOutcomeShape, scheduledShape } from './contract.ts';

/** The order of their lists. */
export const soonestFirst = byTimeAndId<'scheduled', ScheduledSend>(({ sendAt }) => sendAt);

export const viewScheduled = viewOf(scheduledShape, ({ id, to }: ScheduledSend) => ({
  scheduled_id: id,
  to: to.map(formatBare),
}));

export const viewScheduledOutcome = viewOf(scheduledOutcomeShape, ({ id, to, failureReason }: ScheduledSend) => ({
  scheduled_id: id,
  to: to.map(formatBare),
  hint: hintOfReason(failureReason),
}));
