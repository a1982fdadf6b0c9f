/** Deliveries to webhook endpoints, put together: the queue's dispatcher, and the word to owners of endpoints that failed. */

import type { Events } from '../events/events.ts';
import { type Clock, SECOND } from '../kernel/clock.ts';
import type { SendOutward } from '../net/outward-request.ts';
import type { Store } from '../store/store.ts';
import { createWebhookDispatcher, type WebhookDispatcher } from './dispatcher.ts';
import { createWebhookNotices, type TellOwner } from './notices.ts';
import type { PostNeeds } from './post.ts';
import { createWebhookSeal } from './secrets.ts';

/** A little more than a receiver may take. */
const DRAIN_MS = 11 * SECOND;

export interface WebhookSendingNeeds {
  store: Store;
  events: Events;
  clock: Clock;
  /** Null where the key file is missing: what waits goes on waiting. */
  vaultKey: Buffer | null;
  request: SendOutward;
  randomFraction: () => number;
  tellOwner: TellOwner;
  onError: (error: unknown) => void;
}

export interface WebhookSending {
  /** What a single request needs, for tests and replays. */
  posting: PostNeeds;
  dispatcher: WebhookDispatcher;
  /** Tells owners that have yet to be told. */
  tellOwners(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export const createWebhookSending = (needs: WebhookSendingNeeds): WebhookSending => {
  const { store, events, clock, vaultKey, request, randomFraction, tellOwner, onError } = needs;
  const posting = { request, clock, seal: createWebhookSeal(vaultKey) };
  const notices = createWebhookNotices(store, tellOwner);
  const onTurnedOff = () => void notices.run().catch(onError);
  const dispatcher = createWebhookDispatcher({ ...posting, store, events, randomFraction, onTurnedOff, onError });
  return {
    posting,
    dispatcher,
    tellOwners: notices.run,
    start: () => {
      // Nothing can be signed without the key.
      if (vaultKey) dispatcher.start();
      onTurnedOff();
    },
    stop: () => dispatcher.stop(DRAIN_MS),
  };
};
