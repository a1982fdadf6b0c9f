/** Records the outcome of an attempt: the log, the delivery and the endpoint's failure count, in one transaction. */

import type { ActivityLog } from '../activity/activity-log.ts';
import type { Millis } from '../kernel/clock.ts';
import type { MailLog } from '../mail-log/mail-log.ts';
import { readRetryAfter } from '../net/http/retry-after.ts';
import { insertWebhookAttempt } from '../store/events/webhook-attempts.ts';
import { recordWebhookAttempt, type WaitingDelivery } from '../store/events/webhook-deliveries.ts';
import {
  clearFailures,
  countFailure,
  deferWebhook,
  disableWebhook,
  findFailures,
  type Webhook,
} from '../store/events/webhooks.ts';
import type { Tx } from '../store/store.ts';
import type { PostResult } from './post.ts';
import { toAct } from './webhook-act.ts';
import { nextWebhookAttempt, RETAINED_FOR_MS } from './webhook-retries.ts';

/** Deliveries (interface section 8). */
const FAILURES_TO_DISABLE = 20;
/** Gone (RFC 9110 section 15.5.11): disables the endpoint at once. */
const GONE = 410;

export interface WebhookAttempt {
  webhook: Webhook;
  delivery: WaitingDelivery;
  /** Stored for later attempts and redeliveries; null where it is the event's envelope. */
  body: Buffer | null;
  result: PostResult;
}

export interface OutcomeNeeds {
  notifyOwner: NotifyOwner;
  activity: Pick<ActivityLog, 'recordOwn'>;
  mailLog: MailLog;
}

/** Writes the notice of an endpoint that was disabled, in the transaction that disables it. @param failures null: by 410 */
export type NotifyOwner = (tx: Tx, webhook: Webhook, failures: number | null) => Promise<void>;

export const recordWebhookOutcome = async (
  { notifyOwner, activity, mailLog }: OutcomeNeeds,
  tx: Tx,
  { webhook, delivery, body, result }: WebhookAttempt,
  now: Millis,
  spread: number,
): Promise<void> => {
  const { id, workspaceId } = webhook;
  const { delivered, statusCode, responseBody, durationMs, error, retryAfter } = result;
  const attempt = delivery.attempts + 1;
  const eventSeq = delivery.event.seq;
  const row = { webhookId: id, eventSeq, attempt, statusCode, responseBody, durationMs, error };
  const at = await insertWebhookAttempt(tx, workspaceId, row, now);
  const asked = readRetryAfter(statusCode, retryAfter, now, RETAINED_FOR_MS);
  const next = delivered ? null : nextWebhookAttempt(attempt, now, asked, spread);
  // Retry-After is about the endpoint, which gets nothing until then, and this delivery first.
  if (asked !== null) await deferWebhook(tx, webhook, now + asked);
  const nextAttemptAt = next === null || asked === null ? next : delivery.nextAttemptAt;
  await recordWebhookAttempt(tx, id, eventSeq, { attempts: attempt, nextAttemptAt, at, body });
  if (delivered) {
    await clearFailures(tx, webhook);
    return;
  }
  // A delivery counts once: by its retries alone, an outage of minutes with few events would turn the endpoint off.
  if (attempt === 1) await countFailure(tx, webhook);
  const failures = await findFailures(tx.db, webhook);
  if (failures === null) return;
  const reason = statusCode === GONE ? 'gone' : failures < FAILURES_TO_DISABLE ? null : 'failures';
  if (reason === null) return;
  await disableWebhook(tx, id, reason, now);
  tx.afterCommit(() => mailLog.record({ mail: 'webhook_off', reason: 'webhook_off', webhook_id: id, why: reason }));
  await activity.recordOwn(tx, 'webhook.disable', toAct(webhook, { reason }));
  await notifyOwner(tx, webhook, reason === 'gone' ? null : failures);
};
