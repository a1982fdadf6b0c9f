/**
 * Takes what waits to the endpoints. What waits stands in the store, in a queue for each endpoint; here is only who may
 * be asked for more, in turn, and what is under way. A crash loses nothing: what had not been settled is due again.
 */

import type { Events } from '../events/publish-events.ts';
import { type Clock, type Millis, SECOND } from '../kernel/clock.ts';
import type { WebhookId } from '../kernel/ids.ts';
import {
  listDueForWebhook,
  listWebhooksWithWaiting,
  nextDueForWebhook,
  type WaitingDelivery,
} from '../store/events/webhook-deliveries.ts';
import { findWebhookById, type Webhook } from '../store/events/webhooks.ts';
import type { Store } from '../store/store.ts';
import { type Lane, learn, newLane, PLACES, type Places, roomOf } from './endpoint-queue.ts';
import { BodyTooLarge } from './payload-template.ts';
import { bodyFor, type PostNeeds, type PostResult, postToWebhook } from './post.ts';
import { type NotifyOwner, recordWebhookOutcome } from './record-attempt.ts';

/** All endpoints are looked at so often: another process may have published, and the clock may have been set. */
const LOOK_AGAIN_MS = 5 * SECOND;

export interface DispatcherNeeds extends PostNeeds {
  store: Store;
  events: Events;
  clock: Clock;
  /** From 0 up to, not including, 1. */
  randomFraction: () => number;
  notifyOwner: NotifyOwner;
  onError: (error: unknown) => void;
  places?: Places;
}

export interface WebhookDispatcher {
  start(): void;
  /** Has an endpoint's queue looked at now; without one, all of them. */
  wake(id?: WebhookId): void;
  /** Takes nothing more, waits for what is under way up to `graceMs`, and calls off what is left: it stays due. */
  stop(graceMs: Millis): Promise<void>;
}

export const createWebhookDispatcher = (needs: DispatcherNeeds): WebhookDispatcher => {
  const { store, events, clock, onError, places = PLACES } = needs;
  const lanes = new Map<WebhookId, Lane>();
  /** Lanes that have something under way: no more than there are places. */
  const busy = new Set<Lane>();
  /** Whose queues are to be looked at, in the order of their turns. */
  const turns = new Set<WebhookId>();
  /** Those that found no place: the next end of an attempt brings them another turn. */
  const placeless = new Set<WebhookId>();
  const timers = new Map<WebhookId, NodeJS.Timeout>();
  const underWay = new Set<Promise<void>>();
  const callingOff = new AbortController();
  let lookTimer: NodeJS.Timeout | null = null;
  let isPumping = false;
  let isStopped = true;

  const laneOf = (id: WebhookId): Lane => {
    const lane = lanes.get(id) ?? newLane();
    lanes.set(id, lane);
    return lane;
  };

  const postDelivery = async (webhook: Webhook, { event, body: kept }: WaitingDelivery) => {
    const about = { id: event.id, event: event.name };
    try {
      const body = kept ?? bodyFor(webhook, event);
      const result = await postToWebhook(needs, webhook, about, body, callingOff.signal);
      return { result, body: kept ?? (webhook.template === null ? null : body) };
    } catch (error) {
      if (!(error instanceof BodyTooLarge)) throw error;
      const nothing = { statusCode: null, responseBody: null, retryAfter: undefined, durationMs: 0 };
      return { result: { delivered: false, ...nothing, error: error.message } satisfies PostResult, body: null };
    }
  };

  const deliver = async (webhook: Webhook, lane: Lane, delivery: WaitingDelivery): Promise<void> => {
    const { result, body } = await postDelivery(webhook, delivery);
    learn(lane, result.delivered, result.durationMs);
    const attempted = { webhook, delivery, body, result };
    await store.write((tx) =>
      recordWebhookOutcome(tx, needs.notifyOwner, attempted, clock.now(), needs.randomFraction()),
    );
  };

  const begin = (webhook: Webhook, lane: Lane, delivery: WaitingDelivery): void => {
    const { seq } = delivery.event;
    lane.underWay.add(seq);
    busy.add(lane);
    const running = deliver(webhook, lane, delivery)
      .then(() => turns.add(webhook.id))
      .catch((error: unknown) => {
        if (callingOff.signal.aborted) return;
        // A fault of ours: it is still due, and taken up again with the next look at all, not without a pause.
        learn(lane, false, 0);
        onError(error);
      })
      .finally(() => {
        underWay.delete(running);
        lane.underWay.delete(seq);
        if (lane.underWay.size === 0) busy.delete(lane);
        for (const id of placeless) turns.add(id);
        placeless.clear();
        void pump();
      }) as Promise<void>;
    underWay.add(running);
  };

  /** Begins what a lane has room for. */
  const serve = async (id: WebhookId): Promise<void> => {
    const lane = laneOf(id);
    const room = roomOf(lane, busy, places);
    if (room === 0) {
      // Where it has something under way, the end of that is its next turn.
      if (lane.underWay.size === 0) placeless.add(id);
      return;
    }
    const webhook = await findWebhookById(store.read, id);
    if (!webhook?.active) {
      if (lane.underWay.size === 0) forget(id);
      return;
    }
    const now = clock.now();
    const due = await listDueForWebhook(store.read, id, now, lane.underWay.size + room);
    const fresh = due.filter(({ event }) => !lane.underWay.has(event.seq)).slice(0, room);
    for (const delivery of fresh) begin(webhook, lane, delivery);
    if (fresh.length < room) await sleepUntilDue(id, now);
  };

  const sleepUntilDue = async (id: WebhookId, now: Millis): Promise<void> => {
    const next = await nextDueForWebhook(store.read, id, now);
    clearTimeout(timers.get(id));
    timers.delete(id);
    if (next === null || isStopped) return;
    const wait = Math.min(Math.max(next - clock.now(), 0), LOOK_AGAIN_MS);
    timers.set(
      id,
      setTimeout(() => wake(id), wait),
    );
  };

  const forget = (id: WebhookId): void => {
    lanes.delete(id);
    clearTimeout(timers.get(id));
    timers.delete(id);
  };

  const pump = async (): Promise<void> => {
    if (isPumping || isStopped) return;
    isPumping = true;
    try {
      for (const id of turns) {
        turns.delete(id);
        await serve(id);
        if (isStopped) return;
      }
    } catch (error) {
      onError(error);
    } finally {
      isPumping = false;
    }
    // What came between the last turn and here.
    if (turns.size > 0) void pump();
  };

  const wake = (id?: WebhookId): void => {
    if (isStopped) return;
    if (id === undefined) lookAtAll();
    else {
      turns.add(id);
      void pump();
    }
  };

  const lookAtAll = (): void => {
    if (lookTimer) clearTimeout(lookTimer);
    lookTimer = setTimeout(lookAtAll, LOOK_AGAIN_MS);
    listWebhooksWithWaiting(store.read)
      .then((ids) => {
        const waiting = new Set(ids);
        for (const [id, lane] of lanes) if (lane.underWay.size === 0 && !waiting.has(id)) forget(id);
        for (const id of ids) turns.add(id);
        return pump();
      })
      .catch(onError);
  };

  const unsubscribe = events.subscribe((_event, webhooks) => {
    if (webhooks === null) return wake();
    for (const id of webhooks) wake(id);
  });

  return {
    start: () => {
      isStopped = false;
      lookAtAll();
    },
    wake,
    stop: async (graceMs) => {
      isStopped = true;
      unsubscribe();
      if (lookTimer) clearTimeout(lookTimer);
      for (const timer of timers.values()) clearTimeout(timer);
      const grace = new Promise((resolve) => setTimeout(resolve, graceMs).unref());
      await Promise.race([Promise.all(underWay), grace]);
      callingOff.abort();
      await Promise.all(underWay);
    },
  };
};
