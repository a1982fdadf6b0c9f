/** Turning endpoints on and off, and what then becomes of the events that wait. */

import type { Millis } from '../kernel/clock.ts';
import type { WebhookId } from '../kernel/ids.ts';
import { eventSeqAt } from '../store/events/event-log.ts';
import { dropWaiting, hastenDeliveries } from '../store/events/webhook-deliveries.ts';
import type { DisabledReason, Webhook } from '../store/events/webhooks.ts';
import type { Store, Tx } from '../store/store.ts';
import { HELD_FOR_MS } from './webhook-retries.ts';

/** Rows of one transaction: others wait for it. */
const ROWS_AT_ONCE = 1_000;

/** Does some of a work in each transaction, until a turn finds less than it may do. */
export const inTurns = async (store: Store, work: (tx: Tx, limit: number) => Promise<number>): Promise<void> => {
  while ((await store.write((tx) => work(tx, ROWS_AT_ONCE))) === ROWS_AT_ONCE);
};

/** Drops what an endpoint that is off does not hold: all, where its owner paused it; else what is over 7 days old. */
export const dropUnheld = async (
  store: Store,
  id: WebhookId,
  reason: DisabledReason | null,
  now: Millis,
): Promise<void> => {
  const until = reason === 'paused' ? null : await eventSeqAt(store.read, now - HELD_FOR_MS);
  await inTurns(store, (tx, limit) => dropWaiting(tx, id, until, limit));
};

export const paused = (webhook: Webhook): Webhook => ({ ...webhook, active: false, disabledReason: 'paused' });

/** Its failures are forgiven; what it held is due at once, by {@link hastenDeliveries} in the same transaction. */
export const turnedOn = async (tx: Tx, webhook: Webhook, now: Millis): Promise<Webhook> => {
  await hastenDeliveries(tx, webhook.id, now);
  return { ...webhook, active: true, disabledReason: null, failureCount: 0 };
};
