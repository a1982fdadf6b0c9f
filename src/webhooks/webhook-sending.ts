/** Assembles webhook delivery: seal, requests and dispatcher. */

import type { Events } from '../events/publish-events.ts';
import { type Clock, SECOND } from '../kernel/clock.ts';
import type { SendGuarded } from '../net/http/guarded-client.ts';
import type { Store } from '../store/store.ts';
import { createWebhookDispatcher, type WebhookDispatcher } from './dispatcher.ts';
import type { PostNeeds } from './post.ts';
import type { OutcomeNeeds } from './record-attempt.ts';
import { createWebhookSeal } from './secrets.ts';

/** A little more than the timeout of a request. */
const DRAIN_MS = 11 * SECOND;

export interface WebhookSendingNeeds extends OutcomeNeeds {
  store: Store;
  events: Events;
  clock: Clock;
  /** Null where the key file is missing: deliveries stay due. */
  vaultKey: Buffer | null;
  request: SendGuarded;
  randomFraction: () => number;
  onError: (error: unknown) => void;
}

export interface WebhookSending {
  /** The needs of a single request, for tests and redeliveries. */
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
      // Without the key no request can be signed.
      if (vaultKey) dispatcher.start();
    },
    stop: () => dispatcher.stop(DRAIN_MS),
  };
};
