/** Works the queue: takes what is due in hand, and has attempts made side by side as hosts and memory allow. */

import { MINUTE, type Millis } from '../../kernel/clock.ts';
import type { DeliveryId } from '../../kernel/ids.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import { nextDueTime, postpone, renewLeases, voidLeases } from '../../store/sending/delivery-queue.ts';
import { ActiveQueue, type QueuedDelivery } from './active-queue.ts';
import { createClaims } from './claims.ts';
import { createDeliveryTask, type DeliveryTaskNeeds, type TaskState, WAITED_FOR_MS } from './delivery-task.ts';
import { DestinationLimits } from './destination-limits.ts';
import { LOOK_AGAIN_MS, nextLookIn } from './next-look.ts';
import { SessionCache } from './session-cache.ts';

/** Attempts at once. Most of one's time is waiting for the other side. */
const MAX_ATTEMPTS = 100;
/** With half of them taken a host has one, so that a few slow ones do not have them all. */
const CROWDED = MAX_ATTEMPTS / 2;
/** Octets of mail that attempts hold in memory. With half of them taken a host has one attempt here too. */
const MAX_OCTETS = 64 * 1024 * 1024;
/** Goes whatever the others hold: a few large mails to hosts that hang are not to stop all the rest. */
const SMALL_OCTETS = 256 * 1024;
/** Longer than any one command may take; renewed while the daemon lives. */
const LEASE_MS = 10 * MINUTE;
const RENEW_EVERY_MS = LEASE_MS / 2;
/** Deliveries in hand. What is due beyond them stays in the store, where it costs nothing. */
const MAX_IN_HAND = 2_000;
const CLAIMED_AT_ONCE = MAX_IN_HAND / 4;
/** With the places taken, what waits for one host keeps its part of half of them, or so many. */
const LEAST_WAITING_FOR_HOST = 10;
/** What gave its place up is due again by then. */
const LONGEST_BACK_MS = 10 * MINUTE;

export interface WorkerNeeds extends Omit<DeliveryTaskNeeds, 'active' | 'limits' | 'sessions' | 'pause' | 'stopping'> {}

export interface OutboundWorker {
  start(): Promise<void>;
  /** Has the queue looked at now. */
  wake(): void;
  /** Takes nothing more, and waits for the attempts under way, up to `graceMs`. */
  stop(graceMs: Millis): Promise<void>;
}

export const createOutboundWorker = (needs: WorkerNeeds): OutboundWorker => {
  const { store, clock, onError } = needs;
  const limits = new DestinationLimits(clock);
  const sessions = new SessionCache();
  const active = new ActiveQueue();
  const claims = createClaims(store);
  const stopping = new AbortController();
  const pause = async (ms: Millis): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = () => reject(stopping.signal.reason);
    const timer = setTimeout(resolve, ms);
    stopping.signal.addEventListener('abort', stop, { once: true });
    await promise.finally(() => {
      clearTimeout(timer);
      stopping.signal.removeEventListener('abort', stop);
    });
  };
  const deliveryTask = createDeliveryTask({ ...needs, limits, sessions, active, pause, stopping: stopping.signal });

  /** All that is leased. */
  const inHand = new Set<DeliveryId>();
  const running = new Set<Promise<void>>();
  let attempts = 0;
  let octets = 0;
  let timer: NodeJS.Timeout | null = null;
  let wakesAt: Millis = Number.POSITIVE_INFINITY;
  let renewal: NodeJS.Timeout | null = null;
  let isFilling = false;
  let isWanted = false;
  /** Whether the last look left something due in the store. */
  let hasMore = false;
  let isStopped = true;

  const run = ({ id }: Delivery, work: () => Promise<TaskState>): void => {
    inHand.add(id);
    const ending = work()
      // The daemon ends, and the next start finds the row as it is.
      .catch((error): TaskState => {
        onError(error);
        return 'done';
      })
      .then((left) => {
        running.delete(ending);
        if (left === 'done') inHand.delete(id);
        pump();
        if (hasMore && inHand.size <= MAX_IN_HAND / 2) wake();
      });
    running.add(ending);
  };

  const hasMemoryFor = (size: number): boolean => size <= SMALL_OCTETS || octets === 0 || octets + size <= MAX_OCTETS;

  const isReady = (host: string, { size }: QueuedDelivery, now: Millis): boolean =>
    limits.isReady(host, now) &&
    hasMemoryFor(size) &&
    ((attempts < CROWDED && octets < MAX_OCTETS / 2) || limits.inFlightWith(host) === 0);

  /** When the hosts that something waits for may be asked, as of `now`. */
  const hostTimes = (now: Millis): Millis[] =>
    [...active.lines()].flatMap(([host]) => limits.nextTime(host, now) ?? []);

  const pump = (): void => {
    while (!isStopped && attempts < MAX_ATTEMPTS) {
      const now = clock.now();
      const next = active.next((host, waiting) => isReady(host, waiting, now));
      if (!next) {
        const ms = nextLookIn(hostTimes(now), now, clock.now());
        if (clock.now() + ms < wakesAt) sleep(ms);
        return;
      }
      const { host, waiting } = next;
      const { size } = waiting;
      attempts += 1;
      octets += size;
      limits.begin(host);
      run(waiting.delivery, () =>
        deliveryTask.ask(host, waiting).finally(() => {
          attempts -= 1;
          octets -= size;
          limits.end(host);
        }),
      );
    }
  };

  /** Hosts that are left alone for a while give their places up; where there are none left, the longest lines do. */
  const makeRoom = async (): Promise<void> => {
    const lines = [...active.lines()];
    const isFull = inHand.size > MAX_IN_HAND - CLAIMED_AT_ONCE;
    const part = Math.max(Math.floor(MAX_IN_HAND / 2 / Math.max(lines.length, 1)), LEAST_WAITING_FOR_HOST);
    for (const [host, length] of lines) {
      if (limits.pausedUntil(host) > clock.now() + WAITED_FOR_MS) {
        for (const waiting of active.takeBeyond(host, 0)) run(waiting.delivery, () => deliveryTask.moveOn(waiting));
      } else if (isFull && length > part) {
        const ids = active.takeBeyond(host, part).map(({ delivery }) => delivery.id);
        await giveBack(ids, limits.timeFor(host, part));
      }
    }
  };

  /** @param afterMs when those that keep their places will have gone */
  const giveBack = async (ids: DeliveryId[], afterMs: Millis): Promise<void> => {
    const at = clock.now() + Math.min(Math.round(afterMs * (1 + needs.randomFraction())), LONGEST_BACK_MS);
    await store.write((tx) => postpone(tx, ids, at));
    for (const id of ids) inHand.delete(id);
  };

  const fill = async (): Promise<void> => {
    await makeRoom();
    const lookedAt = clock.now();
    const claimed = await claim(lookedAt);
    pump();
    const dueAt = (await nextDueTime(store.read)) ?? Number.POSITIVE_INFINITY;
    hasMore = dueAt <= lookedAt;
    // A take may leave something, where mailboxes share it: there is more to take, or room once something ends.
    if (hasMore && claimed > 0) isWanted = true;
    sleep(nextLookIn([dueAt, ...hostTimes(lookedAt)], lookedAt, clock.now()));
  };

  /** @returns how many were taken in hand */
  const claim = async (now: Millis): Promise<number> => {
    // A claim for each place that comes free would be a transaction for each.
    if (inHand.size > MAX_IN_HAND - CLAIMED_AT_ONCE) return 0;
    const fresh = (await claims.take(now, now + LEASE_MS, CLAIMED_AT_ONCE)).filter(({ id }) => !inHand.has(id));
    for (const delivery of fresh) run(delivery, () => deliveryTask.place(delivery));
    return fresh.length;
  };

  const sleep = (ms: Millis): void => {
    if (isStopped) return;
    if (timer) clearTimeout(timer);
    wakesAt = clock.now() + ms;
    timer = setTimeout(wake, ms);
  };

  const wake = (): void => {
    isWanted = true;
    if (isFilling || isStopped) return;
    isFilling = true;
    const fillWhileWanted = async () => {
      while (isWanted && !isStopped) {
        isWanted = false;
        await fill();
      }
    };
    fillWhileWanted()
      .catch((error) => {
        onError(error);
        sleep(LOOK_AGAIN_MS);
      })
      .finally(() => {
        isFilling = false;
        if (isWanted) wake();
      });
  };

  return {
    start: async () => {
      isStopped = false;
      await store.write(voidLeases);
      renewal = setInterval(() => {
        store.write((tx) => renewLeases(tx, clock.now() + LEASE_MS)).catch(onError);
      }, RENEW_EVERY_MS).unref();
      wake();
    },
    wake,
    stop: async (graceMs) => {
      isStopped = true;
      for (const each of [timer, renewal]) if (each) clearTimeout(each);
      const grace = new Promise((resolve) => setTimeout(resolve, graceMs).unref());
      await Promise.race([Promise.all(running), grace]);
      stopping.abort(new Error('The daemon ends'));
      // What waits was not asked for: the next start shall not take it for an attempt that was cut off.
      const waiting = active.takeAll().map(({ delivery }) => delivery.id);
      if (waiting.length > 0) await store.write((tx) => postpone(tx, waiting, clock.now()));
      await sessions.close();
    },
  };
};
