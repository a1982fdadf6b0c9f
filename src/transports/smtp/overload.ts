/** Refuses messages while the disk is full or the store fails. Checked at MAIL, before the content is sent. */

import { type Clock, SECOND } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';

/** Maximum age of a reading of the free space. */
const DISK_CHECK_EVERY_MS = 5 * SECOND;
/** A single failure may be due to its message; this many in a row are counted as the store's. */
const FAILURES_IN_A_ROW = 3;
/** Pause after them. Short, since the next message shows whether the store works again. */
const PAUSE_MS = 2 * SECOND;

export interface OverloadNeeds {
  clock: Clock;
  /** Free bytes on the data directory's file system. */
  freeBytes: () => Promise<number>;
  onError: (error: unknown) => void;
}

export interface Overload {
  /** @throws SmtpError 451 or 452 while overloaded */
  check(): Promise<void>;
  /** Records whether a message was stored. */
  noteStored(ok: boolean): void;
}

export const createOverload = (minFreeBytes: number, { clock, freeBytes, onError }: OverloadNeeds): Overload => {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let free: Promise<number> = Promise.resolve(Number.POSITIVE_INFINITY);
  let failures = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;

  const readFreeBytes = (): Promise<number> => {
    const now = clock.now();
    if (now - checkedAt < DISK_CHECK_EVERY_MS && now >= checkedAt) return free;
    checkedAt = now;
    free = freeBytes().catch((error: unknown) => {
      onError(error);
      return Number.POSITIVE_INFINITY;
    });
    return free;
  };
  return {
    check: async () => {
      if (minFreeBytes > 0 && (await readFreeBytes()) < minFreeBytes) {
        throw new SmtpError({ code: 452, enhanced: '4.3.1', text: 'The disk is nearly full, try again later' });
      }
      // A clock that is set back does not extend the pause.
      const pause = pausedUntil - clock.now();
      if (pause > 0 && pause <= PAUSE_MS) {
        throw new SmtpError({ code: 451, enhanced: '4.3.2', text: 'Too busy, try again later' });
      }
    },
    noteStored: (ok) => {
      failures = ok ? 0 : failures + 1;
      if (failures >= FAILURES_IN_A_ROW) pausedUntil = clock.now() + PAUSE_MS;
    },
  };
};
