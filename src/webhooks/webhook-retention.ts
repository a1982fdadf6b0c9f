/** Purges expired events, deliveries and attempts. */

import { DAY, type Millis } from '../kernel/clock.ts';
import { eventSeqAt, purgeEventsUntil } from '../store/events/event-log.ts';
import { purgeWebhookAttempts } from '../store/events/webhook-attempts.ts';
import { purgeDeliveriesUntil } from '../store/events/webhook-deliveries.ts';
import { listInactiveWebhooks } from '../store/events/webhooks.ts';
import type { Store } from '../store/store.ts';
import { dropUnretained, inBatches } from './enable-disable.ts';
import { RETAINED_FOR_MS } from './webhook-retries.ts';

/** Retention of the attempt log: interface section 8. */
const LOG_RETENTION_MS: Millis = 30 * DAY;
/**
 * A logged attempt can be redelivered, so an event outlives its last possible attempt (7 days, and a day of retries) by
 * 30 days.
 */
export const EVENT_RETENTION_MS: Millis = LOG_RETENTION_MS + RETAINED_FOR_MS + DAY;

export const purgeEvents = async (store: Store, now: Millis): Promise<void> => {
  await inBatches(store, (tx, limit) => purgeWebhookAttempts(tx, now - LOG_RETENTION_MS, limit));
  for (const { id, disabledReason } of await listInactiveWebhooks(store.read)) {
    await dropUnretained(store, id, disabledReason, now);
  }
  const until = await eventSeqAt(store.read, now - EVENT_RETENTION_MS);
  await inBatches(store, (tx, limit) => purgeDeliveriesUntil(tx, until, limit));
  await inBatches(store, (tx, limit) => purgeEventsUntil(tx, until, limit));
};
