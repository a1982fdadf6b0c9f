/**
 * The deliveries in hand: rows that are leased and wait for a session with their host. Fair between mailboxes: each
 * delivery has a turn, and a mailbox's next turn comes one after its last, so that who sends much waits behind itself
 * and nobody else (start-time fair queueing).
 */

import type { MailboxId } from '../../kernel/ids.ts';
import type { StoredMessage } from '../../store/mail/messages.ts';
import type { Delivery } from '../../store/sending/deliveries.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import type { Route } from './find-route.ts';

export interface QueuedDelivery {
  readonly delivery: Delivery;
  readonly message: StoredMessage;
  /** In octets. */
  readonly size: number;
  readonly route: Route;
  /** Which of the route's hosts is tried next. */
  readonly hop: number;
  readonly turn: number;
  /** Whether the attempt is recorded: an earlier hop was asked. */
  readonly begun: boolean;
  /** How that went. */
  readonly lastOutcome: AttemptOutcome | null;
}

const byTurn = (line: readonly QueuedDelivery[], turn: number): number => {
  let low = 0;
  let high = line.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((line[middle]?.turn ?? 0) <= turn) low = middle + 1;
    else high = middle;
  }
  return low;
};

export class ActiveQueue {
  /** By host; each in the order of turns. */
  readonly #lines = new Map<string, QueuedDelivery[]>();
  readonly #lastTurns = new Map<MailboxId, number>();
  /** The turn that was taken last. */
  #now = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The turn of a mailbox's next delivery. */
  takeTurn(mailboxId: MailboxId): number {
    const turn = Math.max(this.#now, this.#lastTurns.get(mailboxId) ?? 0) + 1;
    this.#lastTurns.set(mailboxId, turn);
    return turn;
  }

  /** @param host the one that is tried next */
  add(host: string, waiting: QueuedDelivery): void {
    const line = this.#lines.get(host) ?? [];
    line.splice(byTurn(line, waiting.turn), 0, waiting);
    this.#lines.set(host, line);
    this.#size += 1;
  }

  /** The delivery whose turn is first, of the hosts that may be asked now. */
  next(isReady: (host: string, waiting: QueuedDelivery) => boolean): { host: string; waiting: QueuedDelivery } | null {
    let first: { host: string; waiting: QueuedDelivery } | null = null;
    for (const [host, [waiting]] of this.#lines) {
      if (waiting && waiting.turn < (first?.waiting.turn ?? Number.POSITIVE_INFINITY) && isReady(host, waiting)) {
        first = { host, waiting };
      }
    }
    if (!first) return null;
    this.#remove(first.host, 0, 1);
    this.#now = Math.max(this.#now, first.waiting.turn);
    if (this.#size === 0) this.#lastTurns.clear();
    return first;
  }

  /** The hosts that something waits for, and how much. */
  *lines(): IterableIterator<readonly [host: string, length: number]> {
    for (const [host, line] of this.#lines) yield [host, line.length];
  }

  /** Takes out what waits for a host beyond the first `kept`. */
  takeBeyond(host: string, kept: number): QueuedDelivery[] {
    return this.#remove(host, kept, Number.POSITIVE_INFINITY);
  }

  /** Takes everything out. */
  takeAll(): QueuedDelivery[] {
    return [...this.#lines.keys()].flatMap((host) => this.takeBeyond(host, 0));
  }

  #remove(host: string, from: number, count: number): QueuedDelivery[] {
    const line = this.#lines.get(host) ?? [];
    const taken = line.splice(from, count);
    this.#size -= taken.length;
    if (line.length === 0) this.#lines.delete(host);
    return taken;
  }
}
