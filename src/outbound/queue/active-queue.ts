/**
 * The claimed deliveries that wait for a session with their destination, in a queue for each. Start-time fair queueing
 * between mailboxes: a delivery's virtual time is one more than its mailbox's last, so that a heavy sender delays only
 * its own mail.
 */

import type { MailboxId } from '../../kernel/ids.ts';
import type { OutgoingMessage } from '../../store/mail/message-summaries.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import type { Route } from './find-route.ts';

export interface QueuedDelivery {
  readonly delivery: Delivery;
  readonly message: OutgoingMessage;
  readonly route: Route;
  /** Index of the route's destination that is tried next. */
  readonly at: number;
  readonly virtualTime: number;
  /** Whether the attempt is recorded already: an earlier destination of the route was tried. */
  readonly isRecorded: boolean;
  /** The outcome at that destination. */
  readonly lastOutcome: AttemptOutcome | null;
}

const insertionIndex = (queue: readonly QueuedDelivery[], virtualTime: number): number => {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((queue[middle]?.virtualTime ?? 0) <= virtualTime) low = middle + 1;
    else high = middle;
  }
  return low;
};

export class ActiveQueue {
  /** By the destination's host name; each by ascending virtual time. */
  readonly #queues = new Map<string, QueuedDelivery[]>();
  readonly #lastTimes = new Map<MailboxId, number>();
  /** The virtual time of the delivery that was taken last. */
  #now = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Advances the mailbox's virtual time by one delivery. */
  nextVirtualTime(mailboxId: MailboxId): number {
    const time = Math.max(this.#now, this.#lastTimes.get(mailboxId) ?? 0) + 1;
    this.#lastTimes.set(mailboxId, time);
    return time;
  }

  /** @param host name of the destination that is tried next */
  add(host: string, queued: QueuedDelivery): void {
    const queue = this.#queues.get(host) ?? [];
    queue.splice(insertionIndex(queue, queued.virtualTime), 0, queued);
    this.#queues.set(host, queue);
    this.#size += 1;
  }

  /** Takes the delivery with the least virtual time that there is room for out of the queues of ready destinations. */
  next(
    isReady: (host: string) => boolean,
    hasRoomFor: (queued: QueuedDelivery, host: string) => boolean,
  ): { host: string; queued: QueuedDelivery } | null {
    let first: { host: string; queued: QueuedDelivery; at: number } | null = null;
    for (const [host, queue] of this.#queues) {
      const least = first?.queued.virtualTime ?? Number.POSITIVE_INFINITY;
      if ((queue[0]?.virtualTime ?? least) >= least || !isReady(host)) continue;
      // One that has to wait holds up none behind it.
      const at = queue.findIndex((queued) => queued.virtualTime >= least || hasRoomFor(queued, host));
      const queued = queue[at];
      if (queued && queued.virtualTime < least) first = { host, queued, at };
    }
    if (!first) return null;
    const { host, queued, at } = first;
    this.#remove(host, at, 1);
    this.#now = Math.max(this.#now, queued.virtualTime);
    if (this.#size === 0) this.#lastTimes.clear();
    return { host, queued };
  }

  has(host: string): boolean {
    return this.#queues.has(host);
  }

  /** The destinations with a queue, and its length. */
  *lengths(): IterableIterator<readonly [host: string, length: number]> {
    for (const [host, queue] of this.#queues) yield [host, queue.length];
  }

  /** Takes out all of a destination's queue but the first `kept`. */
  takeBeyond(host: string, kept: number): QueuedDelivery[] {
    return this.#remove(host, kept, Number.POSITIVE_INFINITY);
  }

  takeAll(): QueuedDelivery[] {
    return [...this.#queues.keys()].flatMap((host) => this.takeBeyond(host, 0));
  }

  #remove(host: string, from: number, count: number): QueuedDelivery[] {
    const queue = this.#queues.get(host) ?? [];
    const removed = queue.splice(from, count);
    this.#size -= removed.length;
    if (queue.length === 0) this.#queues.delete(host);
    return removed;
  }
}
