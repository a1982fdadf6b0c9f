/** Claims due deliveries, fair between mailboxes where more are due than fit. */

import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId } from '../../kernel/ids.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import { claimDue, claimDueOf, countDue } from '../../store/sending/delivery-queue.ts';
import { listDueMailboxes } from '../../store/sending/due-mailboxes.ts';
import type { Store } from '../../store/store.ts';

/** Mailboxes that get a share of one claim; the next claim continues with those behind them. */
const MAILBOXES_PER_CLAIM = 50;

export interface Claims {
  /** Leases up to `limit` due deliveries until `until`; exactly `limit` where as many are due. */
  take(now: Millis, until: Millis, limit: number): Promise<Delivery[]>;
}

export const createClaims = (store: Store): Claims => {
  const by = store.runId;
  /** The mailbox that had the last share. */
  let cursor: MailboxId | null = null;

  const nextMailboxes = async (now: Millis): Promise<MailboxId[]> => {
    const after = await listDueMailboxes(store.read, cursor, now, MAILBOXES_PER_CLAIM);
    const isAtEnd = after.last === null && cursor !== null;
    cursor = after.last;
    if (!isAtEnd) return after.mailboxes;
    const wrapped = await listDueMailboxes(store.read, null, now, MAILBOXES_PER_CLAIM - after.mailboxes.length);
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
        const claimed: Delivery[] = [];
        for (const mailbox of mailboxes) claimed.push(...(await claimDueOf(tx, mailbox, now, { by, until }, share)));
        // Shares that are not used up go to the deliveries that are due longest.
        const rest = limit - claimed.length;
        return rest > 0 ? [...claimed, ...(await claimDue(tx, now, { by, until }, rest))] : claimed;
      });
    },
  };
};
