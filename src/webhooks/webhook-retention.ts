/** What of events and webhooks has had its time. */

import { DAY, type Millis } from '../kernel/clock.ts';
import { eventSeqAt, purgeEventsUntil } from '../store/events/event-log.ts';
import { purgeWebhookAttempts } from '../store/events/webhook-attempts.ts';
import { purgeDeliveriesUntil } from '../store/events/webhook-deliveries.ts';
import { listInactiveWebhooks } from '../store/events/webhooks.ts';
import type { Store } from '../store/store.ts';
import { dropUnheld, inBatches } from './enable-disable.ts';
import { HELD_FOR_MS } from './webhook-retries.ts';

/** The interface's section 8. */
const LOG_KEPT_FOR_MS: Millis = 30 * DAY;
/** What the log shows can be replayed: an event outlives the last attempt there may be at it, and a day of retries. */
const EVENTS_KEPT_FOR_MS: Millis = LOG_KEPT_FOR_MS + HELD_FOR_MS + DAY;

export const purgeEvents = async (store: Store, now: Millis): Promise<void> => {
  await inBatches(store, (tx, limit) => purgeWebhookAttempts(tx, now - LOG_KEPT_FOR_MS, limit));
  for (const { id, disabledReason } of await listInactiveWebhooks(store.read)) {
    await dropUnheld(store, id, disabledReason, now);
  }
  const until = await eventSeqAt(store.read, now - EVENTS_KEPT_FOR_MS);
  await inBatches(store, (tx, limit) => purgeDeliveriesUntil(tx, until, limit));
  await inBatches(store, (tx, limit) => purgeEventsUntil(tx, until, limit));
};
