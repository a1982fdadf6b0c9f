/**
 * The queue worker: claims due deliveries and runs their attempts concurrently, within destination and memory limits.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE, type Millis } from '../../kernel/clock.ts';
import type { DeliveryId } from '../../kernel/ids.ts';
import { createWakeLoop } from '../../kernel/wake-loop.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import { nextDueTime, releaseDeliveries, renewLeases } from '../../store/sending/delivery-queue.ts';
import { isPassedTo, returnPassed, takePassed } from '../../store/sending/passed-deliveries.ts';
import type { AcceptingQueue } from '../gate/accept-send.ts';
import { ActiveQueue, type QueuedDelivery } from './active-queue.ts';
import { AttemptRoom } from './attempt-room.ts';
import { Claimed, createClaims } from './claims.ts';
import { createDefer } from './defer.ts';
import { createDeliveryTask, type DeliveryTaskNeeds, LONGEST_WAIT_MS, type TaskState } from './delivery-task.ts';
import { DestinationLimits } from './destination-limits.ts';
import { nextPollIn, POLL_MS } from './next-poll.ts';
import { createPassOn } from './pass-on.ts';
import { SessionCache } from './session-cache.ts';

/** Longer than any SMTP command may take; renewed while the process runs. */
const LEASE_MS = 10 * MINUTE;
const RENEW_EVERY_MS = LEASE_MS / 2;
/**
 * Claimed deliveries. What is due beyond them stays in the store, at no cost. A mailbox that has as many as it leaves free
 * gets no more, because its hosts may hang.
 */
const MAX_CLAIMED = 2_000;
const CLAIM_SIZE = MAX_CLAIMED / 4;
const LEAST_CLAIM = 10;
/** With all claims taken each destination's queue keeps its share of half of them, but at least so many. */
const LEAST_QUEUED = 10;
/** The longest deferral of what was released for lack of claims. */
const LONGEST_DEFERRAL_MS = 10 * MINUTE;

export interface WorkerNeeds
  extends Omit<DeliveryTaskNeeds, 'active' | 'defer' | 'limits' | 'passOn' | 'pause' | 'sessions' | 'stopping'> {}

export interface OutboundWorker extends AcceptingQueue {
  /** Attempts what the box that leads passes to this one. */
  start(): void;
  /** Claims what is due from now on, and passes on what other boxes send. */
  lead(): Promise<void>;
  /** Reads the queue until nothing is due and no attempt is in progress; what is queued then waits for its destination. */
  idle(): Promise<void>;
  /** Claims no more, waits up to `graceMs` for the attempts in flight and releases what is queued. */
  stop(graceMs: Millis): Promise<void>;
}

export const createOutboundWorker = (needs: WorkerNeeds): OutboundWorker => {
  const { store, clock, onError } = needs;
  const limits = new DestinationLimits(clock);
  const sessions = new SessionCache();
  const active = new ActiveQueue();
  const { runId } = store;
  const claims = createClaims(store);
  const stopping = new AbortController();
  const pause = (ms: Millis): Promise<void> => sleep(ms, undefined, { signal: stopping.signal });
  const defer = createDefer({ store, limits, clock });
  const passing = createPassOn({ store, clock, limits, sessions, active, defer });
  const deliveryTask = createDeliveryTask({
    ...needs,
    limits,
    sessions,
    active,
    defer,
    passOn: passing.passOn,
    pause,
    stopping: stopping.signal,
  });

  const claimed = new Claimed();
  /** Released and claimed again before their task had ended. */
  const again = new Map<DeliveryId, Delivery>();
  const running = new Set<Promise<void>>();
  const room = new AttemptRoom();
  let renewal: NodeJS.Timeout | null = null;
  /** Whether the last poll left due deliveries in the store. */
  let hasMore = false;
  let isStopped = true;
  let isLeading = false;

  const run = (delivery: Delivery, work: () => Promise<TaskState>): void => {
    const { id } = delivery;
    claimed.add(delivery);
    const ending = work()
      // Thrown at shutdown alone: the next start finds the row as it is.
      .catch((error): TaskState => {
        onError(error);
        return 'released';
      })
      .then((state) => {
        running.delete(ending);
        if (state === 'released') endClaim(id);
        pump();
        if (hasMore && claimed.size <= MAX_CLAIMED / 2) void loop.run();
      });
    running.add(ending);
  };

  const route = (delivery: Delivery): void => run(delivery, () => deliveryTask.route(delivery));

  const endClaim = (id: DeliveryId): void => {
    claimed.delete(id);
    const delivery = again.get(id);
    again.delete(id);
    if (delivery && !isStopped) route(delivery);
  };

  const isReady = (host: string, now: Millis): boolean =>
    limits.isReady(host, now) && limits.inFlightWith(host) < room.attemptsPerHost;

  const hasRoomFor = ({ delivery, message }: QueuedDelivery, host: string): boolean =>
    room.hasRoomFor(delivery.mailboxId, message.size, limits.inFlightWith(host));

  /** When the destinations with a queue are ready, as of `now`. */
  const readyTimes = (now: Millis): Millis[] =>
    [...active.lengths()].flatMap(([host]) => limits.readyAt(host, now) ?? []);

  const pump = (): void => {
    while (!isStopped) {
      const now = clock.now();
      const next = active.next((host) => isReady(host, now), hasRoomFor);
      if (!next) {
        loop.runWithin(nextPollIn(readyTimes(now), now, clock.now()));
        return;
      }
      const { host, queued } = next;
      const { mailboxId } = queued.delivery;
      const { size } = queued.message;
      room.begin(mailboxId, size);
      limits.begin(host);
      run(queued.delivery, () =>
        deliveryTask.attempt(host, queued).finally(() => {
          room.end(mailboxId, size);
          limits.end(host);
        }),
      );
    }
  };

  /**
   * Releases the queues of destinations that are backed off; with all claims taken, the tails of the longest queues.
   */
  const makeRoom = async (): Promise<void> => {
    const queues = [...active.lengths()];
    const isFull = claimed.size > MAX_CLAIMED - CLAIM_SIZE;
    const share = Math.max(Math.floor(MAX_CLAIMED / 2 / Math.max(queues.length, 1)), LEAST_QUEUED);
    for (const [host, length] of queues) {
      if (limits.backedOffUntil(host) > clock.now() + LONGEST_WAIT_MS) {
        for (const queued of active.takeBeyond(host, 0)) run(queued.delivery, () => deliveryTask.failOver(queued));
      } else if (isFull && length > share) {
        const ids = active.takeBeyond(host, share).map(({ delivery }) => delivery.id);
        await release(ids, limits.estimate(host, share));
      }
    }
  };

  /** @param afterMs the estimated time until the deliveries that stay queued are attempted */
  const release = async (ids: DeliveryId[], afterMs: Millis): Promise<void> => {
    const deferral = Math.min(Math.round(afterMs * (1 + needs.randomFraction())), LONGEST_DEFERRAL_MS);
    const at = clock.now() + deferral;
    await store.write((tx) => releaseDeliveries(tx, ids, runId, at));
    for (const id of ids) endClaim(id);
  };

  /** @returns the pause before the next poll */
  const fill = async (): Promise<Millis> => {
    await makeRoom();
    if (isLeading) await passing.look();
    const polledAt = clock.now();
    const count = await claim(polledAt);
    pump();
    const dueAt = (await nextTime(polledAt)) ?? Number.POSITIVE_INFINITY;
    hasMore = dueAt <= polledAt;
    // A claim that mailboxes share may leave due rows. The next one follows at once, or after an attempt has ended.
    if (hasMore && count > 0) return 0;
    return nextPollIn([dueAt, ...readyTimes(polledAt)], polledAt, clock.now());
  };

  const nextTime = async (now: Millis): Promise<Millis | null> => {
    if (isLeading) return nextDueTime(store.read);
    return (await isPassedTo(store.read, runId)) ? now : null;
  };

  const take = async (now: Millis, until: Millis): Promise<Delivery[]> => {
    const free = MAX_CLAIMED - claimed.size;
    // At most half of what is free, so that a claim of one mailbox leaves some to the next.
    const limit = Math.min(CLAIM_SIZE, Math.floor(free / 2));
    // One transaction for many: no claim for each attempt that ends.
    if (limit < LEAST_CLAIM) return [];
    if (isLeading) return claims.take(now, until, limit, claimed.mailboxesWith(free));
    const isWaiting = await isPassedTo(store.read, runId);
    return isWaiting ? store.write((tx) => takePassed(tx, { by: runId, until }, limit)) : [];
  };

  /** @returns how many deliveries were claimed */
  const claim = async (now: Millis): Promise<number> => {
    const taken = await take(now, now + LEASE_MS);
    for (const delivery of taken) {
      if (claimed.has(delivery.id)) again.set(delivery.id, delivery);
      else route(delivery);
    }
    return taken.length;
  };

  const loop = createWakeLoop(fill, (error) => {
    onError(error);
    return POLL_MS;
  });

  /** What is queued here or was passed here: the next start must not take it for attempts that were cut off. */
  const giveBack = async (): Promise<void> => {
    const queued = active.takeAll().map(({ delivery }) => delivery.id);
    const isWaiting = !isLeading && (await isPassedTo(store.read, runId));
    if (queued.length === 0 && !isWaiting) return;
    await store.write(async (tx) => {
      await releaseDeliveries(tx, queued, runId, clock.now());
      await returnPassed(tx, runId);
    });
  };

  const end = async (graceMs: Millis): Promise<void> => {
    isStopped = true;
    if (renewal) clearInterval(renewal);
    const grace = sleep(graceMs, undefined, { ref: false });
    store.endRun().catch(onError);
    await loop.stop();
    await giveBack();
    await Promise.race([Promise.all(running), grace]);
    stopping.abort(new Error('The daemon ends'));
    await giveBack();
    await sessions.close();
  };
  let ended: Promise<void> | null = null;

  return {
    start: () => {
      isStopped = false;
      renewal = setInterval(() => {
        store.write((tx) => renewLeases(tx, { by: runId, until: clock.now() + LEASE_MS })).catch(onError);
      }, RENEW_EVERY_MS).unref();
      loop.start();
    },
    lead: async () => {
      await passing.lead();
      isLeading = true;
      void loop.run();
    },
    lease: () =>
      !isLeading || isStopped || hasMore || claimed.size > MAX_CLAIMED - CLAIM_SIZE
        ? null
        : { by: runId, until: clock.now() + LEASE_MS },
    take: (deliveries) => {
      // At a stop they keep their lease, which the next start voids.
      if (!isStopped) for (const delivery of deliveries) route(delivery);
    },
    wake: () => void loop.run(),
    idle: async () => {
      do await Promise.all([loop.run(), ...running]);
      while (!isStopped && (hasMore || running.size > 0));
    },
    stop: (graceMs) => {
      ended ??= end(graceMs);
      return ended;
    },
  };
};
