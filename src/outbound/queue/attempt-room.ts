/**
 * What concurrent attempts hold, in all and of each mailbox: their number, and the octets of their mail. A mailbox takes at
 * most what it leaves free, so that its mail to hosts that hang does not stop the mail of others.
 */

import type { MailboxId } from '../../kernel/ids.ts';

/** Concurrent attempts; of one mailbox alone 100. Most of an attempt's time is spent waiting for the remote host. */
const MAX_ATTEMPTS = 200;
/** A destination has at most this share of the attempts that are free: slow ones leave some, however many there are. */
const SHARE_OF_HOST = 1 / 5;
/** Octets of mail that attempts hold in memory. With half of them taken, large mail goes one at a time to each destination. */
const MAX_OCTETS = 64 * 1024 * 1024;
/** Mail up to this size is exempt from it: a few large mails to hanging hosts cannot stop all others. */
const SMALL_OCTETS = 256 * 1024;

interface Held {
  readonly attempts: number;
  readonly octets: number;
}

const NOTHING: Held = { attempts: 0, octets: 0 };

const isWithinShare = (own: number, all: number, most: number): boolean => own <= most - all;

export class AttemptRoom {
  readonly #byMailbox = new Map<MailboxId, Held>();
  #all = NOTHING;

  /** The attempts that one destination may have. */
  get attemptsPerHost(): number {
    return Math.max(1, Math.floor((MAX_ATTEMPTS - this.#all.attempts) * SHARE_OF_HOST));
  }

  /**
   * Whether another attempt of the mailbox may start.
   * @param size octets of its mail
   * @param withHost attempts with the same destination
   */
  hasRoomFor(mailboxId: MailboxId, size: number, withHost: number): boolean {
    const { attempts, octets } = this.#byMailbox.get(mailboxId) ?? NOTHING;
    const all = this.#all;
    if (!isWithinShare(attempts + 1, all.attempts + 1, MAX_ATTEMPTS)) return false;
    if (size <= SMALL_OCTETS || all.octets === 0) return true;
    if (all.octets >= MAX_OCTETS / 2 && withHost > 0) return false;
    return isWithinShare(octets + size, all.octets + size, MAX_OCTETS);
  }

  begin(mailboxId: MailboxId, size: number): void {
    this.#change(mailboxId, 1, size);
  }

  end(mailboxId: MailboxId, size: number): void {
    this.#change(mailboxId, -1, -size);
  }

  #change(mailboxId: MailboxId, attempts: number, octets: number): void {
    const add = (held: Held): Held => ({ attempts: held.attempts + attempts, octets: held.octets + octets });
    this.#all = add(this.#all);
    const own = add(this.#byMailbox.get(mailboxId) ?? NOTHING);
    if (own.attempts > 0) this.#byMailbox.set(mailboxId, own);
    else this.#byMailbox.delete(mailboxId);
  }
}
