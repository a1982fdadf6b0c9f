/**
 * Defers deliveries past their destination's back-off, with all others of the same mailbox and domain, without routing
 * each.
 */

import { BoundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, type Millis, SECOND } from '../../kernel/clock.ts';
import type { DeliveryId } from '../../kernel/ids.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import { deferDelivery, listDeferrable, releaseDeliveries } from '../../store/sending/delivery-queue.ts';
import type { Store } from '../../store/store.ts';
import type { DestinationLimits } from './destination-limits.ts';
import { GIVE_UP_AFTER_MS } from './record-outcome.ts';

/** Rows of one transaction: it keeps other writers waiting for some tens of milliseconds. */
const ROWS_PER_TRANSACTION = 1_000;
/** The shortest time between two scans of the queue for one mailbox and domain. */
const SCAN_EVERY_MS: Millis = SECOND;
/** Pairs of mailbox and domain with a remembered time of the last scan. */
const MAX_SCANS = 1_000;

export interface DeferNeeds {
  store: Store;
  limits: DestinationLimits;
  clock: Clock;
}

/** @param host name of the destination that is backed off */
export type Defer = (delivery: Delivery, host: string) => Promise<void>;

export const createDefer = ({ store, limits, clock }: DeferNeeds): Defer => {
  const scans = new BoundedMap<string, Millis>(MAX_SCANS);

  const mayScan = ({ mailboxId, domain }: Delivery): boolean => {
    const key = `${mailboxId} ${domain}`;
    if ((scans.get(key) ?? 0) > clock.now() - SCAN_EVERY_MS) return false;
    scans.set(key, clock.now());
    return true;
  };

  return async (delivery, host) => {
    const until = limits.backedOffUntil(host);
    const nextTime = (): Millis => Math.max(limits.timeAfterBackOff(host), until);
    const at = nextTime();
    await store.write((tx) => releaseDeliveries(tx, [delivery.id], store.runId, at));
    // Mail of one sender to one domain has one route.
    let isMore = mayScan(delivery);
    while (isMore) {
      // A unit of work may run twice: each row keeps the time that it was given first.
      const times = new Map<DeliveryId, Millis>();
      isMore = await store.write(async (tx) => {
        const now = clock.now();
        const since = now - GIVE_UP_AFTER_MS;
        const ids = await listDeferrable(tx.db, { ...delivery, since }, now, until, ROWS_PER_TRANSACTION);
        for (const id of ids) {
          const time = times.get(id) ?? nextTime();
          times.set(id, time);
          await deferDelivery(tx, id, time);
        }
        return ids.length > 0;
      });
    }
  };
};
