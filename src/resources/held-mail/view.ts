/** Stored held mail in the interface's shape. */

import { viewOf } from '../../access/view-of.ts';
import { formatBare } from '../../kernel/address.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { PendingId, WebhookId } from '../../kernel/ids.ts';
import { hintOfHold } from '../../outbound/gate/hold.ts';
import { hintOfReason } from '../../outbound/gate/rejections.ts';
import type { Webhook } from '../../store/events/webhooks.ts';
import type { HeldSend } from '../../store/sending/held-sends.ts';
import { describeWaiting, ENDPOINT_WAITS } from '../../webhooks/withhold.ts';
import { viewAttachment } from '../messages/view.ts';
import { pendingOutcomeShape, pendingShape } from './contract.ts';

/** The console's page for the decision. */
export const approvalUrl = (publicUrl: string, id: PendingId | WebhookId): string =>
  `${publicUrl}/console/approvals/${id}`;

export const viewPending = viewOf(pendingShape, (pending: HeldSend, publicUrl: string) => ({
  pending_id: pending.id,
  to: pending.to.map(formatBare),
  cc: pending.cc.map(formatBare),
  bcc: pending.bcc.map(formatBare),
  reply_to: pending.replyTo.map(formatBare),
  attachments: pending.attachments.map(viewAttachment),
  hint: hintOfHold(pending.reason),
  approval_url: approvalUrl(publicUrl, pending.id),
}));

/** What an agent that was told to send nothing twice may do next. */
const UNSENT_HINTS = {
  rejected: 'It was not sent. What `decision_note` asks for is a new send; without a note, leave it.',
  expired: 'It was not sent: nobody decided in time. Where it is still wanted, it is a new send.',
};

const hintOfOutcome = ({ status, reason, failureReason }: HeldSend): string | null => {
  if (status === 'pending') return hintOfHold(reason);
  return status === 'approved' ? hintOfReason(failureReason) : UNSENT_HINTS[status];
};

export const viewPendingOutcome = viewOf(pendingOutcomeShape, (pending: HeldSend, publicUrl: string) => ({
  pending_id: pending.id,
  to: pending.to.map(formatBare),
  hint: hintOfOutcome(pending),
  edited: pending.changes !== null,
  diff: pending.changes,
  approval_url: approvalUrl(publicUrl, pending.id),
}));

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
