/** Stored held mail in the interface's shape. */

import { formatNamed } from '../../kernel/address.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts';
import type { PendingId, WebhookId } from '../../kernel/ids.ts';
import { hintOfHold } from '../../outbound/gate/hold.ts';
import { hintOfReason } from '../../outbound/gate/rejections.ts';
import type { Webhook } from '../../store/events/webhooks.ts';
import type { HeldSend } from '../../store/sending/held-sends.ts';
import { describeWaiting, ENDPOINT_WAITS } from '../../webhooks/withhold.ts';
import { viewAttachment } from '../messages/view.ts';

/** The console's page for the decision. */
export const approvalUrl = (publicUrl: string, id: PendingId | WebhookId): string =>
  `${publicUrl}/console/approvals/${id}`;

const viewWaiting = ({ id, reason, expiresAt }: HeldSend, publicUrl: string) => ({
  reason,
  expires_at: isoTime(expiresAt),
  approval_url: approvalUrl(publicUrl, id),
});

export const viewPending = (pending: HeldSend, publicUrl: string) => ({
  pending_id: pending.id,
  subject: pending.subject,
  to: pending.to.map(formatNamed),
  cc: pending.cc.map(formatNamed),
  bcc: pending.bcc.map(formatNamed),
  reply_to: pending.replyTo.map(formatNamed),
  snippet: pending.snippet,
  attachments: pending.attachments.map(viewAttachment),
  send_class: pending.sendClass,
  hint: hintOfHold(pending.reason),
  ...viewWaiting(pending, publicUrl),
  created_at: isoTime(pending.createdAt),
});

export const viewPendingOutcome = (pending: HeldSend, publicUrl: string) => ({
  pending_id: pending.id,
  status: pending.status,
  subject: pending.subject,
  to: pending.to.map(formatNamed),
  ...viewWaiting(pending, publicUrl),
  message_id: pending.messageId,
  decision_note: pending.decisionNote,
  failure_reason: pending.failureReason,
  hint: pending.status === 'pending' ? hintOfHold(pending.reason) : hintOfReason(pending.failureReason),
  decided_at: isoTimeOrNull(pending.decidedAt),
  edited: pending.changes !== null,
  diff: pending.changes,
});

/** It waits until it is decided. */
const endpointWaiting = ({ id }: Webhook, publicUrl: string) => ({
  reason: ENDPOINT_WAITS,
  hint: 'The endpoint gets no event until a person allows it at approval_url.',
  expires_at: null,
  approval_url: approvalUrl(publicUrl, id),
});

/** An endpoint of a held agent, which waits for a person as its mail does. */
export const viewWaitingEndpoint = (webhook: Webhook, publicUrl: string) => ({
  pending_id: webhook.id,
  subject: describeWaiting(webhook),
  to: [],
  cc: [],
  bcc: [],
  reply_to: [],
  attachments: [],
  snippet: webhook.events.join(', '),
  send_class: 'cold' as const,
  ...endpointWaiting(webhook, publicUrl),
  created_at: isoTime(webhook.updatedAt),
});

export const viewEndpointOutcome = (webhook: Webhook, publicUrl: string) => ({
  pending_id: webhook.id,
  ...endpointWaiting(webhook, publicUrl),
  status: 'pending' as const,
  subject: describeWaiting(webhook),
  to: [],
  message_id: null,
  decision_note: null,
  failure_reason: null,
  decided_at: null,
  edited: false,
  diff: null,
});
