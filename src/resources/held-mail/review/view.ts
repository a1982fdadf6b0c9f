/** Held mail in the shape for its reviewers. */

import { formatNamed } from '../../../kernel/address.ts';
import { isoTime, isoTimeOrNull } from '../../../kernel/clock.ts';
import { showConcealed } from '../../../mail/html/outgoing/visible-characters.ts';
import type { HeldSend } from '../../../store/sending/held-sends.ts';
import type { HeldMailView } from './contract.ts';

/** @param agent its handle; null where the agent was removed */
export const viewHeldMail = (pending: HeldSend, agent: string | null): HeldMailView => ({
  pending_id: pending.id,
  status: pending.status,
  agent,
  sent_by: pending.sentBy,
  reason: pending.reason,
  send_class: pending.sendClass,
  to: pending.to.map(formatNamed),
  cc: pending.cc.map(formatNamed),
  bcc: pending.bcc.map(formatNamed),
  reply_to: pending.replyTo.map(formatNamed),
  subject: showConcealed(pending.subject),
  snippet: pending.snippet,
  attachments: pending.attachments.map(({ filename, contentType, size }) => ({
    filename: showConcealed(filename),
    contentType,
    size,
  })),
  html_differs: pending.htmlText !== null,
  secrets: pending.secrets,
  message_id: pending.messageId,
  decision_note: pending.decisionNote,
  failure_reason: pending.failureReason,
  decided_by: pending.decidedBy,
  decided_at: isoTimeOrNull(pending.decidedAt),
  created_at: isoTime(pending.createdAt),
  expires_at: isoTime(pending.expiresAt),
  release_at: isoTimeOrNull(pending.releaseAt),
  edited: pending.changes !== null,
});
