/** Stored held mail in the interface's shape. */

import { formatNamed } from '../../kernel/address.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts';
import type { HeldSend } from '../../store/sending/held-sends.ts';
import { viewAttachment } from '../messages/view.ts';

export const viewPending = (pending: HeldSend) => ({
  pending_id: pending.id,
  subject: pending.subject,
  to: pending.to.map(formatNamed),
  cc: pending.cc.map(formatNamed),
  bcc: pending.bcc.map(formatNamed),
  reply_to: pending.replyTo.map(formatNamed),
  snippet: pending.snippet,
  attachments: pending.attachments.map(viewAttachment),
  send_class: pending.sendClass,
  reason: pending.reason,
  created_at: isoTime(pending.createdAt),
});

export const viewPendingOutcome = (pending: HeldSend) => ({
  pending_id: pending.id,
  status: pending.status,
  subject: pending.subject,
  to: pending.to.map(formatNamed),
  message_id: pending.messageId,
  decision_note: pending.decisionNote,
  failure_reason: pending.failureReason,
  decided_at: isoTimeOrNull(pending.decidedAt),
});
