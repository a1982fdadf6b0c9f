/** Claims due deliveries, fair between mailboxes where more are due than fit. */

import type { Millis } from '../../kernel/clock.ts';
import type { DeliveryId, MailboxId } from '../../kernel/ids.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import { claimDue, claimDueOf, countDue } from '../../store/sending/delivery-queue.ts';
import { listDueMailboxes } from '../../store/sending/due-mailboxes.ts';
import type { Store } from '../../store/store.ts';

/** Mailboxes that get a share of one claim; the next claim continues with those behind them. */
const MAILBOXES_PER_CLAIM = 50;
const NONE: ReadonlySet<MailboxId> = new Set();

export interface Claims {
  /**
   * Leases up to `limit` due deliveries until `until`; exactly `limit` where as many are due.
   * @param without mailboxes that get none
   */
  take(now: Millis, until: Millis, limit: number, without?: ReadonlySet<MailboxId>): Promise<Delivery[]>;
}

/** The deliveries that this process has claimed, counted by mailbox. */
export class Claimed {
  readonly #mailboxes = new Map<DeliveryId, MailboxId>();
  readonly #counts = new Map<MailboxId, number>();

  get size(): number {
    return this.#mailboxes.size;
  }

  has(id: DeliveryId): boolean {
    return this.#mailboxes.has(id);
  }

  add({ id, mailboxId }: Pick<Delivery, 'id' | 'mailboxId'>): void {
    if (this.has(id)) return;
    this.#mailboxes.set(id, mailboxId);
    this.#count(mailboxId, 1);
  }

  delete(id: DeliveryId): void {
    const mailboxId = this.#mailboxes.get(id);
    if (mailboxId === undefined) return;
    this.#mailboxes.delete(id);
    this.#count(mailboxId, -1);
  }

  /** The mailboxes with at least so many. */
  mailboxesWith(least: number): Set<MailboxId> {
    return new Set([...this.#counts].flatMap(([mailboxId, count]) => (count >= least ? [mailboxId] : [])));
  }

  #count(mailboxId: MailboxId, by: number): void {
    const count = (this.#counts.get(mailboxId) ?? 0) + by;
    if (count > 0) this.#counts.set(mailboxId, count);
    else this.#counts.delete(mailboxId);
  }
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
    take: async (now, until, limit, without = NONE) => {
      const due = await countDue(store.read, now, limit + 1);
      if (due === 0) return [];
      if (due <= limit && without.size === 0) return store.write((tx) => claimDue(tx, now, { by, until }, limit));
      const mailboxes = (await nextMailboxes(now)).filter((each) => !without.has(each));
      const share = Math.floor(limit / Math.max(mailboxes.length, 1));
      return store.write(async (tx) => {
        const claimed: Delivery[] = [];
        for (const mailbox of mailboxes) claimed.push(...(await claimDueOf(tx, mailbox, now, { by, until }, share)));
        // Shares that are not used up go to the deliveries that are due longest.
        const rest = without.size === 0 ? limit - claimed.length : 0;
        return rest > 0 ? [...claimed, ...(await claimDue(tx, now, { by, until }, rest))] : claimed;
      });
    },
  };
};
