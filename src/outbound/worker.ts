/** Works the queue: takes what is due, makes the attempts side by side, writes how each ended. */

import { MINUTE, type Millis, SECOND } from '../kernel/clock.ts';
import {
  claimDueDeliveries,
  type Delivery,
  nextDueTime,
  recordAttempt,
  renewLease,
  voidLeases,
} from '../store/deliveries.ts';
import { isOwnDomain } from '../store/recipients.ts';
import type { Store, Tx } from '../store/store.ts';
import { type AttemptNeeds, attempt } from './attempt.ts';
import { deliverLocally, type LocalNeeds } from './deliver-locally.ts';
import { type AttemptEnd, endedBefore } from './outcome.ts';
import { type SettleNeeds, settle } from './settle.ts';

/** Sessions at once. Enough to keep many slow hosts waiting side by side on a small server. */
const MAX_SESSIONS = 40;
/** Longer than any one command may take; renewed while the session lives. */
const LEASE_MS = 10 * MINUTE;
const RENEW_EVERY_MS = LEASE_MS / 2;
/** The queue is looked at so often even when nothing is due: another process (the CLI) may have put something in. */
const LOOK_AGAIN_MS = 5 * SECOND;

export interface WorkerNeeds
  extends SettleNeeds,
    Omit<AttemptNeeds, 'read'>,
    Omit<LocalNeeds, 'read' | 'workers' | 'clock'> {
  store: Store;
  /** From 0 to 1. */
  randomFraction: () => number;
  onError: (error: unknown) => void;
}

export interface OutboundWorker {
  start(): Promise<void>;
  /** Has the queue looked at now. */
  wake(): void;
  /** Takes nothing more, and waits for the attempts under way, up to `graceMs`. */
  stop(graceMs: Millis): Promise<void>;
}

export const createOutboundWorker = (needs: WorkerNeeds): OutboundWorker => {
  const { store, clock, onError } = needs;
  const underWay = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | null = null;
  let scanning = false;
  let wokenMeanwhile = false;
  let stopped = true;

  const settleWith = (tx: Tx, delivery: Delivery, end: AttemptEnd) =>
    settle(tx, needs, delivery, end, clock.now(), needs.randomFraction());

  const process = async (delivery: Delivery): Promise<void> => {
    const renewal = setInterval(() => {
      store.write((tx) => renewLease(tx, delivery.id, clock.now() + LEASE_MS)).catch(onError);
    }, RENEW_EVERY_MS);
    try {
      await store.write((tx) => recordAttempt(tx, delivery.id, clock.now()));
      const end = await endOf(delivery);
      if (end) await store.write((tx) => settleWith(tx, delivery, end));
    } finally {
      clearInterval(renewal);
    }
  };

  const endOf = async (delivery: Delivery): Promise<AttemptEnd | null> => {
    try {
      const isLocal = await isOwnDomain(store.read, delivery.domain);
      if (!isLocal) return await attempt({ ...needs, read: store.read }, delivery);
      return await deliverLocally({ ...needs, read: store.read }, delivery, (tx, end) => settleWith(tx, delivery, end));
    } catch (error) {
      // A fault of ours is no reason to give a mail up.
      onError(error);
      return endedBefore('retry', 'An internal error; see the log');
    }
  };

  const begin = (delivery: Delivery): void => {
    const running = process(delivery)
      .catch(onError)
      .finally(() => {
        underWay.delete(running);
        wake();
      });
    underWay.add(running);
  };

  const scan = async (): Promise<void> => {
    const room = MAX_SESSIONS - underWay.size;
    if (room <= 0) return;
    const now = clock.now();
    const due = await store.write((tx) => claimDueDeliveries(tx, now, now + LEASE_MS, room));
    due.forEach(begin);
    // With the room used up, the next attempt that ends wakes us.
    if (due.length < room) sleepUntil((await nextDueTime(store.read, now)) ?? Number.POSITIVE_INFINITY);
  };

  const sleepUntil = (at: Millis): void => {
    if (timer) clearTimeout(timer);
    timer = setTimeout(wake, Math.min(Math.max(at - clock.now(), 0), LOOK_AGAIN_MS));
  };

  const wake = (): void => {
    if (stopped) return;
    wokenMeanwhile = true;
    if (scanning) return;
    scanning = true;
    const scanAll = async () => {
      while (wokenMeanwhile && !stopped) {
        wokenMeanwhile = false;
        await scan();
      }
    };
    scanAll()
      .catch((error) => {
        onError(error);
        sleepUntil(clock.now() + LOOK_AGAIN_MS);
      })
      .finally(() => {
        scanning = false;
        if (wokenMeanwhile) wake();
      });
  };

  return {
    start: async () => {
      stopped = false;
      await store.write(voidLeases);
      wake();
    },
    wake,
    stop: async (graceMs) => {
      stopped = true;
      if (timer) clearTimeout(timer);
      const grace = new Promise((resolve) => setTimeout(resolve, graceMs).unref());
      await Promise.race([Promise.all(underWay), grace]);
    },
  };
};
