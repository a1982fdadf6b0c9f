/** Takes due deliveries out of the store, fair between mailboxes where there are more than can be taken. */

import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId, RunId } from '../../kernel/ids.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import { claimDue, claimDueOf, countDue } from '../../store/sending/delivery-queue.ts';
import { listDueMailboxes } from '../../store/sending/due-mailboxes.ts';
import type { Store } from '../../store/store.ts';

/** Mailboxes that have their share in one take; the next take goes on behind them. */
const MAILBOXES_AT_ONCE = 50;

export interface Claims {
  /** Leases up to `limit` deliveries until `until`; as many as that where so many are due. */
  take(now: Millis, until: Millis, limit: number): Promise<Delivery[]>;
}

/** @param by holds the leases */
export const createClaims = (store: Store, by: RunId): Claims => {
  /** The mailbox that had its share last. */
  let cursor: MailboxId | null = null;

  const nextMailboxes = async (now: Millis): Promise<MailboxId[]> => {
    const after = await listDueMailboxes(store.read, cursor, now, MAILBOXES_AT_ONCE);
    const isAtEnd = after.last === null && cursor !== null;
    cursor = after.last;
    if (!isAtEnd) return after.mailboxes;
    const wrapped = await listDueMailboxes(store.read, null, now, MAILBOXES_AT_ONCE - after.mailboxes.length);
    cursor = wrapped.last;
    return [...new Set([...after.mailboxes, ...wrapped.mailboxes])];
  };

  return {
    take: async (now, until, limit) => {
      const due = await countDue(store.read, now, limit + 1);
      if (due === 0) return [];
      if (due <= limit) return store.write((tx) => claimDue(tx, now, { by, until }, limit));
      const mailboxes = await nextMailboxes(now);
      const share = Math.floor(limit / Math.max(mailboxes.length, 1));
      return store.write(async (tx) => {
        const taken: Delivery[] = [];
        for (const mailbox of mailboxes) taken.push(...(await claimDueOf(tx, mailbox, now, { by, until }, share)));
        // What the others' shares leave goes to who has waited longest.
        const rest = limit - taken.length;
        return rest > 0 ? [...taken, ...(await claimDue(tx, now, { by, until }, rest))] : taken;
      });
    },
  };
};
