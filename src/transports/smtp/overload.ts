/** Whether a message could be dealt with now. Asked at MAIL, so that a client does not send what would be refused. */

import { type Clock, SECOND } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';

/** How old an answer about free space may be. */
const DISK_ASKED_EVERY_MS = 5 * SECOND;
/** One failure may be that message's fault; so many in a row are the store's. */
const FAILURES_IN_A_ROW = 3;
/** How long nothing is tried then. Short: the next message shows whether it works again. */
const PAUSE_MS = 2 * SECOND;

export interface OverloadNeeds {
  clock: Clock;
  /** Messages that wait for a worker thread. */
  waiting: () => number;
  /** Bytes free where the data is. */
  freeBytes: () => Promise<number>;
  onError: (error: unknown) => void;
}

export interface Overload {
  /** @throws SmtpError 451 or 452 where a message has to wait */
  check(): Promise<void>;
  /** How storing a message went. */
  noteStored(ok: boolean): void;
}

export const createOverload = (
  limits: { waitingMessages: number; minFreeBytes: number },
  { clock, waiting, freeBytes, onError }: OverloadNeeds,
): Overload => {
  let askedAt = Number.NEGATIVE_INFINITY;
  let free: Promise<number> = Promise.resolve(Number.POSITIVE_INFINITY);
  let failures = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;

  const askDisk = (): Promise<number> => {
    const now = clock.now();
    if (now - askedAt < DISK_ASKED_EVERY_MS && now >= askedAt) return free;
    askedAt = now;
    free = freeBytes().catch((error: unknown) => {
      onError(error);
      return Number.POSITIVE_INFINITY;
    });
    return free;
  };
  return {
    check: async () => {
      if (limits.minFreeBytes > 0 && (await askDisk()) < limits.minFreeBytes) {
        throw new SmtpError({ code: 452, enhanced: '4.3.1', text: 'The disk is nearly full, try again later' });
      }
      // A clock that was set back does not make the pause longer.
      const pause = pausedUntil - clock.now();
      if (waiting() >= limits.waitingMessages || (pause > 0 && pause <= PAUSE_MS)) {
        throw new SmtpError({ code: 451, enhanced: '4.3.2', text: 'Too busy, try again later' });
      }
    },
    noteStored: (ok) => {
      failures = ok ? 0 : failures + 1;
      if (failures >= FAILURES_IN_A_ROW) pausedUntil = clock.now() + PAUSE_MS;
    },
  };
};
