/** Enables and disables endpoints, and drops the events that a disabled one does not retain. */

import type { Millis } from '../kernel/clock.ts';
import type { WebhookId } from '../kernel/ids.ts';
import { eventSeqAt } from '../store/events/event-log.ts';
import { dropWaiting, expediteWebhookDeliveries } from '../store/events/webhook-deliveries.ts';
import type { DisabledReason, Webhook } from '../store/events/webhooks.ts';
import type { Store, Tx } from '../store/store.ts';
import { RETAINED_FOR_MS } from './webhook-retries.ts';

/** Rows of one transaction, for which other writers wait. */
const ROWS_PER_TRANSACTION = 1_000;

/** Repeats `work`, each time in a transaction of its own, until it changes fewer rows than its limit. */
export const inBatches = async (store: Store, work: (tx: Tx, limit: number) => Promise<number>): Promise<void> => {
  while ((await store.write((tx) => work(tx, ROWS_PER_TRANSACTION))) === ROWS_PER_TRANSACTION);
};

/** Drops the waiting events of a disabled endpoint: all where its owner paused it, else those older than 7 days. */
export const dropUnretained = async (
  store: Store,
  id: WebhookId,
  reason: DisabledReason | null,
  now: Millis,
): Promise<void> => {
  const until = reason === 'paused' ? null : await eventSeqAt(store.read, now - RETAINED_FOR_MS);
  await inBatches(store, (tx, limit) => dropWaiting(tx, id, until, limit));
};

/** Disabled by its owner: no events are retained. */
export const pauseWebhook = (webhook: Webhook): Webhook => ({ ...webhook, active: false, disabledReason: 'paused' });

/** Resets the failure count and makes the retained events due now. */
export const enableWebhook = async (tx: Tx, webhook: Webhook, now: Millis): Promise<Webhook> => {
  await expediteWebhookDeliveries(tx, webhook.id, now);
  return { ...webhook, active: true, disabledReason: null, failureCount: 0 };
};
