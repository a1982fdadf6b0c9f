/**
 * Delivers due events to webhook endpoints. The queues stand in the store, one for each endpoint; in memory are only
 * the concurrency windows and what is in flight. After a crash every attempt without a recorded outcome is due
 * again.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Events } from '../events/publish-events.ts';
import { type Clock, type Millis, SECOND } from '../kernel/clock.ts';
import type { WebhookId } from '../kernel/ids.ts';
import { createWakeLoop } from '../kernel/wake-loop.ts';
import {
  listDueForWebhook,
  listWebhooksWithWaiting,
  nextDueForWebhook,
  type WaitingDelivery,
} from '../store/events/webhook-deliveries.ts';
import { findWebhookById, type Webhook } from '../store/events/webhooks.ts';
import type { Store } from '../store/store.ts';
import { adjustWindow, type EndpointQueue, freeSlots, newEndpointQueue, SLOTS } from './endpoint-queue.ts';
import { BodyTooLarge } from './payload-template.ts';
import { bodyFor, type PostNeeds, type PostResult, postToWebhook } from './post.ts';
import { type OutcomeNeeds, recordWebhookOutcome } from './record-attempt.ts';

/** Poll of all endpoints: another process may have published, and the clock may have been set. */
const POLL_MS = 5 * SECOND;

export interface DispatcherNeeds extends PostNeeds, OutcomeNeeds {
  store: Store;
  events: Events;
  clock: Clock;
  /** From 0 up to, not including, 1. */
  randomFraction: () => number;
  onError: (error: unknown) => void;
}

export interface WebhookDispatcher {
  start(): void;
  /** Reads an endpoint's queue now; without an id, all of them. */
  wake(id?: WebhookId): void;
  /** Starts no more, waits up to `graceMs` for what is in flight, then aborts the rest, which stays due. */
  stop(graceMs: Millis): Promise<void>;
}

export const createWebhookDispatcher = (needs: DispatcherNeeds): WebhookDispatcher => {
  const { store, events, clock, onError } = needs;
  const queues = new Map<WebhookId, EndpointQueue>();
  /** Queues with events in flight: at most as many as there are slots. */
  const busy = new Set<EndpointQueue>();
  /** Endpoints to read next, in this order. */
  const pending = new Set<WebhookId>();
  /** Endpoints that found no free slot; pending again when an attempt ends. */
  const withoutSlot = new Set<WebhookId>();
  const running = new Set<Promise<void>>();
  const aborting = new AbortController();
  let isStopped = false;

  const queueFor = (id: WebhookId): EndpointQueue => {
    const queue = queues.get(id) ?? newEndpointQueue();
    queues.set(id, queue);
    return queue;
  };

  const postDelivery = async (webhook: Webhook, { event, body: stored }: WaitingDelivery) => {
    const about = { id: event.id, event: event.name };
    try {
      const body = stored ?? bodyFor(webhook, event);
      const result = await postToWebhook(needs, webhook, about, body, aborting.signal);
      return { result, body: stored ?? (webhook.template === null ? null : body) };
    } catch (error) {
      if (!(error instanceof BodyTooLarge)) throw error;
      const nothing = { statusCode: null, responseBody: null, retryAfter: undefined, durationMs: 0 };
      return { result: { delivered: false, ...nothing, error: error.message } satisfies PostResult, body: null };
    }
  };

  const deliver = async (webhook: Webhook, queue: EndpointQueue, delivery: WaitingDelivery): Promise<void> => {
    const { result, body } = await postDelivery(webhook, delivery);
    adjustWindow(queue, result.delivered, result.durationMs);
    const attempt = { webhook, delivery, body, result };
    await store.write((tx) => recordWebhookOutcome(needs, tx, attempt, clock.now(), needs.randomFraction()));
  };

  const begin = (webhook: Webhook, queue: EndpointQueue, delivery: WaitingDelivery): void => {
    const { seq } = delivery.event;
    queue.inFlight.add(seq);
    busy.add(queue);
    const ending = deliver(webhook, queue, delivery)
      .then(() => pending.add(webhook.id))
      .catch((error: unknown) => {
        if (aborting.signal.aborted) return;
        // A fault of this instance: still due, and retried by the next poll, not at once.
        adjustWindow(queue, false, 0);
        onError(error);
      })
      .finally(() => {
        running.delete(ending);
        queue.inFlight.delete(seq);
        if (queue.inFlight.size === 0) busy.delete(queue);
        for (const id of withoutSlot) pending.add(id);
        withoutSlot.clear();
        void pump.run();
      }) as Promise<void>;
    running.add(ending);
  };

  /** Starts as many attempts as the endpoint has free slots. */
  const serve = async (id: WebhookId): Promise<void> => {
    const queue = queueFor(id);
    const free = freeSlots(queue, busy, SLOTS);
    if (free === 0) {
      // With events in flight, the end of one makes it pending.
      if (queue.inFlight.size === 0) withoutSlot.add(id);
      return;
    }
    const webhook = await findWebhookById(store.read, id);
    if (!webhook?.active || webhook.withheld !== null) {
      if (queue.inFlight.size === 0) queues.delete(id);
      return;
    }
    const now = clock.now();
    if (webhook.deferredUntil !== null && webhook.deferredUntil > now) {
      queue.dueAt = webhook.deferredUntil;
      return;
    }
    // What ends while the rows are read may stand in them still.
    const inFlight = new Set(queue.inFlight);
    const due = await listDueForWebhook(store.read, id, now, inFlight.size + free);
    const fresh = due.filter(({ event }) => !inFlight.has(event.seq)).slice(0, free);
    for (const delivery of fresh) begin(webhook, queue, delivery);
    if (fresh.length < free) queue.dueAt = (await nextDueForWebhook(store.read, id, now)) ?? Number.POSITIVE_INFINITY;
  };

  const pump = createWakeLoop(
    async () => {
      const now = clock.now();
      for (const [id, queue] of queues) {
        if (queue.dueAt > now) continue;
        queue.dueAt = Number.POSITIVE_INFINITY;
        pending.add(id);
      }
      for (const id of pending) {
        pending.delete(id);
        await serve(id);
        if (isStopped) return null;
      }
      let pause = POLL_MS;
      for (const { dueAt } of queues.values()) pause = Math.min(pause, dueAt - clock.now());
      return Math.max(pause, 0);
    },
    (error) => {
      onError(error);
      return pending.size > 0 ? 0 : null;
    },
  );

  const poll = createWakeLoop(
    async () => {
      const ids = await listWebhooksWithWaiting(store.read);
      const waiting = new Set(ids);
      for (const [id, queue] of queues) if (queue.inFlight.size === 0 && !waiting.has(id)) queues.delete(id);
      for (const id of ids) pending.add(id);
      void pump.run();
      return POLL_MS;
    },
    (error) => {
      onError(error);
      return POLL_MS;
    },
  );

  const wake = (id?: WebhookId): void => {
    if (id === undefined) return void poll.run();
    pending.add(id);
    void pump.run();
  };

  const unsubscribe = events.subscribe((_event, webhooks) => {
    if (webhooks === null) return wake();
    for (const id of webhooks) wake(id);
  });

  return {
    start: () => {
      pump.start();
      poll.start();
    },
    wake,
    stop: async (graceMs) => {
      unsubscribe();
      isStopped = true;
      await Promise.all([poll.stop(), pump.stop()]);
      const grace = sleep(graceMs, undefined, { ref: false });
      await Promise.race([Promise.all(running), grace]);
      aborting.abort();
      await Promise.all(running);
    },
  };
};
