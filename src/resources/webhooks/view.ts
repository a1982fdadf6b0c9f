/** Endpoints and attempts in the interface's shape, without secrets and header values. */

import { viewOf } from '../../access/view-of.ts';
import type { WebhookAttempt } from '../../store/events/webhook-attempts.ts';
import type { Webhook } from '../../store/events/webhooks.ts';
import type { PostResult } from '../../webhooks/post.ts';
import { attemptShape, resultShape, webhookShape } from './contract.ts';

export const viewWebhook = viewOf(webhookShape, (webhook: Webhook) => ({
  template: webhook.template === null ? null : (JSON.parse(webhook.template) as Record<string, unknown>),
  active: webhook.active && webhook.withheld === null,
  pending_approval: webhook.withheld === 'approval',
  disabled_reason: webhook.withheld === 'suspended' ? ('paused' as const) : webhook.disabledReason,
}));

/** @param madeBy the handle of its endpoint's maker */
export const viewAttempt = viewOf(attemptShape, (_attempt: WebhookAttempt, madeBy: string | null) => ({
  made_by: madeBy,
}));

export const viewResult = viewOf(resultShape, (_result: PostResult, deliveryId: string, madeBy: string | null) => ({
  delivery_id: deliveryId,
  made_by: madeBy,
}));
