/** Takes due deliveries out of the store, fair between mailboxes where there are more than can be taken. */

import type { Millis } from '../kernel/clock.ts';
import type { MailboxId } from '../kernel/ids.ts';
import type { Delivery } from '../store/deliveries.ts';
import { claimDue, claimDueOf, countDue, listQueuedMailboxes } from '../store/queue.ts';
import type { Store } from '../store/store.ts';

/** Mailboxes that have their share in one take; the next take goes on behind them. */
const MAILBOXES_AT_ONCE = 50;

export interface Claims {
  /** Leases up to `limit` deliveries until `until`. */
  take(now: Millis, until: Millis, limit: number): Promise<Delivery[]>;
}

export const createClaims = (store: Store): Claims => {
  /** The mailbox that had its share last. */
  let cursor: MailboxId | null = null;

  const nextMailboxes = async (): Promise<MailboxId[]> => {
    const after = await listQueuedMailboxes(store.read, cursor, MAILBOXES_AT_ONCE);
    const wrapped =
      after.length < MAILBOXES_AT_ONCE && cursor !== null
        ? await listQueuedMailboxes(store.read, null, MAILBOXES_AT_ONCE - after.length)
        : [];
    const mailboxes = [...new Set([...after, ...wrapped])];
    cursor = mailboxes.at(-1) ?? null;
    return mailboxes;
  };

  return {
    take: async (now, until, limit) => {
      const due = await countDue(store.read, now, limit + 1);
      if (due === 0) return [];
      if (due <= limit) return store.write((tx) => claimDue(tx, now, until, limit));
      const mailboxes = await nextMailboxes();
      const share = Math.ceil(limit / Math.max(mailboxes.length, 1));
      return store.write(async (tx) => {
        const taken: Delivery[] = [];
        for (const mailbox of mailboxes) {
          const room = Math.min(share, limit - taken.length);
          if (room > 0) taken.push(...(await claimDueOf(tx, mailbox, now, until, room)));
        }
        return taken;
      });
    },
  };
};
