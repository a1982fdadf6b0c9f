/** Has deliveries come again once their host is no longer left alone, without finding out for each where it goes. */

import { type Clock, type Millis, SECOND } from '../../kernel/clock.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import { listAlike, postpone } from '../../store/sending/delivery-queue.ts';
import type { Store } from '../../store/store.ts';
import type { DestinationLimits } from './destination-limits.ts';

/** Rows in one transaction: some tens of milliseconds in which nothing else is written. */
const AT_ONCE = 1_000;
/** How often the queue is looked through for one mailbox and domain. */
const LOOK_EVERY_MS: Millis = SECOND;
const MAX_REMEMBERED = 1_000;

export interface DeferNeeds {
  store: Store;
  limits: DestinationLimits;
  clock: Clock;
}

/** @param host the one that is waited for */
export type Defer = (delivery: Delivery, host: string) => Promise<void>;

export const createDefer = ({ store, limits, clock }: DeferNeeds): Defer => {
  const looks = new Map<string, Millis>();

  const mayLook = ({ mailboxId, domain }: Delivery): boolean => {
    const key = `${mailboxId} ${domain}`;
    if ((looks.get(key) ?? 0) > clock.now() - LOOK_EVERY_MS) return false;
    looks.delete(key);
    looks.set(key, clock.now());
    const [oldest] = looks.keys();
    if (looks.size > MAX_REMEMBERED && oldest !== undefined) looks.delete(oldest);
    return true;
  };

  return async (delivery, host) => {
    const until = limits.pausedUntil(host);
    const slot = (): Millis => Math.max(limits.timeAfterBackOff(host), until);
    await store.write((tx) => postpone(tx, [delivery.id], slot()));
    // One sender's mail to one domain goes one way.
    let isMore = mayLook(delivery);
    while (isMore) {
      isMore = await store.write(async (tx) => {
        const ids = await listAlike(tx.db, delivery, clock.now(), until, AT_ONCE);
        for (const id of ids) await postpone(tx, [id], slot());
        return ids.length > 0;
      });
    }
  };
};
