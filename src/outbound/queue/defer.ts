/**
 * Defers deliveries past their destination's back-off, with all others of the same mailbox and domain, without routing
 * each.
 */

import { type Clock, type Millis, SECOND } from '../../kernel/clock.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import { listAlike, postpone } from '../../store/sending/delivery-queue.ts';
import type { Store } from '../../store/store.ts';
import type { DestinationLimits } from './destination-limits.ts';

/** Rows of one transaction: it keeps other writers waiting for some tens of milliseconds. */
const ROWS_PER_TRANSACTION = 1_000;
/** The shortest time between two scans of the queue for one mailbox and domain. */
const SCAN_EVERY_MS: Millis = SECOND;
/** Pairs of mailbox and domain whose last scan is remembered. */
const MAX_SCANS = 1_000;

export interface DeferNeeds {
  store: Store;
  limits: DestinationLimits;
  clock: Clock;
}

/** @param host name of the destination that is backed off */
export type Defer = (delivery: Delivery, host: string) => Promise<void>;

export const createDefer = ({ store, limits, clock }: DeferNeeds): Defer => {
  const scans = new Map<string, Millis>();

  const mayScan = ({ mailboxId, domain }: Delivery): boolean => {
    const key = `${mailboxId} ${domain}`;
    if ((scans.get(key) ?? 0) > clock.now() - SCAN_EVERY_MS) return false;
    scans.delete(key);
    scans.set(key, clock.now());
    const [oldest] = scans.keys();
    if (scans.size > MAX_SCANS && oldest !== undefined) scans.delete(oldest);
    return true;
  };

  return async (delivery, host) => {
    const until = limits.backedOffUntil(host);
    const nextTime = (): Millis => Math.max(limits.timeAfterBackOff(host), until);
    await store.write((tx) => postpone(tx, [delivery.id], nextTime()));
    // Mail of one sender to one domain has one route.
    let isMore = mayScan(delivery);
    while (isMore) {
      isMore = await store.write(async (tx) => {
        const ids = await listAlike(tx.db, delivery, clock.now(), until, ROWS_PER_TRANSACTION);
        for (const id of ids) await postpone(tx, [id], nextTime());
        return ids.length > 0;
      });
    }
  };
};
