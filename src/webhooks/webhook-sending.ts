/** Deliveries to webhook endpoints, put together. */

import type { Events } from '../events/publish-events.ts';
import { type Clock, SECOND } from '../kernel/clock.ts';
import type { SendGuarded } from '../net/http/guarded-client.ts';
import type { Store } from '../store/store.ts';
import { createWebhookDispatcher, type WebhookDispatcher } from './dispatcher.ts';
import type { PostNeeds } from './post.ts';
import type { NotifyOwner } from './record-attempt.ts';
import { createWebhookSeal } from './secrets.ts';

/** A little more than a receiver may take. */
const DRAIN_MS = 11 * SECOND;

export interface WebhookSendingNeeds {
  store: Store;
  events: Events;
  clock: Clock;
  /** Null where the key file is missing: what waits goes on waiting. */
  vaultKey: Buffer | null;
  request: SendGuarded;
  randomFraction: () => number;
  notifyOwner: NotifyOwner;
  onError: (error: unknown) => void;
}

export interface WebhookSending {
  /** What a single request needs, for tests and replays. */
  posting: PostNeeds;
  dispatcher: WebhookDispatcher;
  start(): void;
  stop(): Promise<void>;
}

export const createWebhookSending = (needs: WebhookSendingNeeds): WebhookSending => {
  const { clock, vaultKey, request } = needs;
  const posting = { request, clock, seal: createWebhookSeal(vaultKey) };
  const dispatcher = createWebhookDispatcher({ ...needs, ...posting });
  return {
    posting,
    dispatcher,
    start: () => {
      // Nothing can be signed without the key.
      if (vaultKey) dispatcher.start();
    },
    stop: () => dispatcher.stop(DRAIN_MS),
  };
};
