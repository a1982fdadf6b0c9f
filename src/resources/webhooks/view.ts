/** Endpoints and attempts in the interface's shape, without secrets and header values. */

import { isoTime } from '../../kernel/clock.ts';
import type { WebhookAttempt } from '../../store/events/webhook-attempts.ts';
import type { Webhook } from '../../store/events/webhooks.ts';
import type { PostResult } from '../../webhooks/post.ts';
import type { AttemptView, DeliveryResult, WebhookView } from './contract.ts';

export const viewWebhook = (webhook: Webhook): WebhookView => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  mailbox_id: webhook.mailboxId,
  header_names: webhook.headerNames,
  template: webhook.template === null ? null : (JSON.parse(webhook.template) as Record<string, unknown>),
  active: webhook.active && webhook.withheld === null,
  pending_approval: webhook.withheld === 'approval',
  disabled_reason: webhook.withheld === 'suspended' ? 'paused' : webhook.disabledReason,
  failure_count: webhook.failureCount,
  created_at: isoTime(webhook.createdAt),
  updated_at: isoTime(webhook.updatedAt),
});

/** @param madeBy the handle of its endpoint's maker */
export const viewAttempt = (attempt: WebhookAttempt, madeBy: string | null): AttemptView => ({
  webhook_id: attempt.webhookId,
  made_by: madeBy,
  delivery_id: attempt.deliveryId,
  event: attempt.event,
  attempt: attempt.attempt,
  at: isoTime(attempt.at),
  status_code: attempt.statusCode,
  response_body: attempt.responseBody,
  duration_ms: attempt.durationMs,
  error: attempt.error,
});

export const viewResult = (deliveryId: string, madeBy: string | null, result: PostResult): DeliveryResult => ({
  delivery_id: deliveryId,
  made_by: madeBy,
  delivered: result.delivered,
  status_code: result.statusCode,
  response_body: result.responseBody,
  duration_ms: result.durationMs,
  error: result.error,
});
