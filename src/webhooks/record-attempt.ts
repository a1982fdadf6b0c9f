/** Writes an attempt's end: the log, the delivery and the endpoint's standing, in one transaction. */

import type { Millis } from '../kernel/clock.ts';
import { insertWebhookAttempt } from '../store/events/webhook-attempts.ts';
import { recordWebhookAttempt, type WaitingDelivery } from '../store/events/webhook-deliveries.ts';
import { clearFailures, countFailure, turnOffWebhook, type Webhook } from '../store/events/webhooks.ts';
import type { Tx } from '../store/store.ts';
import type { PostResult } from './post.ts';
import { nextWebhookAttempt, retryAfterMs } from './webhook-retries.ts';

/** The interface's section 8. */
const FAILURES_TO_TURN_OFF = 20;
/** "Gone": the receiver wants no more, now and later (RFC 9110 section 15.5.11). */
const GONE = 410;

export interface Attempted {
  webhook: Webhook;
  delivery: WaitingDelivery;
  /** Kept for later attempts and replays; null where it is the event's envelope. */
  body: Buffer | null;
  result: PostResult;
}

/** An endpoint was turned off for its failures. Written in the transaction that turns it off. */
export type NotifyOwner = (tx: Tx, webhook: Webhook, failures: number) => Promise<void>;

export const recordWebhookOutcome = async (
  tx: Tx,
  notifyOwner: NotifyOwner,
  { webhook, delivery, body, result }: Attempted,
  now: Millis,
  spread: number,
): Promise<void> => {
  const { id, workspaceId } = webhook;
  const { delivered, statusCode, responseBody, durationMs, error, retryAfter } = result;
  const attempt = delivery.attempts + 1;
  const eventSeq = delivery.event.seq;
  const row = { webhookId: id, eventSeq, attempt, statusCode, responseBody, durationMs, error };
  const at = await insertWebhookAttempt(tx, workspaceId, row, now);
  const asked = statusCode === null ? null : retryAfterMs(statusCode, retryAfter, now);
  const nextAttemptAt = delivered ? null : nextWebhookAttempt(attempt, now, asked, spread);
  await recordWebhookAttempt(tx, id, eventSeq, { attempts: attempt, nextAttemptAt, at, body });
  if (delivered) {
    await clearFailures(tx, id);
    return;
  }
  const failures = await countFailure(tx, id);
  if (failures === null) return;
  if (statusCode === GONE) {
    await turnOffWebhook(tx, id, 'gone', now);
    return;
  }
  if (failures < FAILURES_TO_TURN_OFF) return;
  await turnOffWebhook(tx, id, 'failures', now);
  await notifyOwner(tx, webhook, failures);
};
