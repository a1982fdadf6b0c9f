/**
 * Booked sends. A booking keeps the request as it was made and checks nothing; when its time comes it goes through the
 * gate like any other send, and its end is written in the transaction of that send: it happens once, whatever crashes.
 */

import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { NamedAddress } from '../../kernel/address.ts';
import { type Clock, DAY, type Millis, SECOND } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { AgentId, MailboxId, MessageId, NewId, PendingId, ScheduledId } from '../../kernel/ids.ts';
import { findMessage, type StoredMessage } from '../../store/mail/messages.ts';
import {
  type BookingResult,
  type DueBooking,
  deferBooking,
  endBooking,
  insertScheduledSend,
  listDueBookings,
  nextBookingTime,
  type ScheduledSend,
} from '../../store/sending/scheduled-sends.ts';
import type { Store, Tx } from '../../store/store.ts';
import { pauseAfter } from './scheduled-retries.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export const HORIZON_MS = 30 * DAY;
/** A clock that steps is noticed this soon: a booking leaves within 2 s of its second. */
const LOOK_AGAIN_MS = SECOND;
/** Before the next look where the store could not be read or written. */
const STORE_PAUSE_MS = 30 * SECOND;
/** Bookings sent side by side; the rest of what is due follows at once. */
const MAX_AT_ONCE = 20;

/** A send as it is booked; survives JSON. */
export interface ScheduledRequest {
  to: NamedAddress[];
  cc: NamedAddress[];
  /** Left out, as the two below: none. */
  bcc?: NamedAddress[];
  replyTo?: NamedAddress[];
  subject: string;
  body: string;
  html?: string;
  attachments: { filename: string; contentType: string; base64: string }[];
  trackOpens: boolean;
  parentId: MessageId | null;
}

export interface ScheduleInput {
  agentId: AgentId;
  mailboxId: MailboxId;
  request: ScheduledRequest;
  sendAt: Millis;
  /** Runs in the transaction that books. */
  alongside?: (tx: Tx, id: ScheduledId) => Promise<void>;
}

/** How a send ended, as the gate says it. */
export type ScheduledOutcome =
  | { kind: 'sent'; messageId: MessageId }
  | { kind: 'held'; pendingId: PendingId }
  | { kind: 'rejected'; reason: string };

export interface ScheduledNeeds {
  store: Store;
  clock: Clock;
  newId: NewId;
  /** Sends a request when its time has come; `alongside` runs in the transaction that settles it. */
  send: (
    agentId: AgentId,
    request: ScheduledRequest,
    parent: StoredMessage | 'missing' | null,
    alongside: (tx: Tx, outcome: ScheduledOutcome) => Promise<void>,
  ) => Promise<unknown>;
  onError: (error: unknown) => void;
}

export interface ScheduledDispatch {
  schedule(booking: ScheduleInput): Promise<ScheduledId>;
  start(): void;
  /** Sends what is due now. @returns whether all of it is settled; what could not be recorded is still due */
  runDue(): Promise<boolean>;
  stop(): Promise<void>;
}

/** Thrown inside the sending transaction where the booking was cancelled first: the send is taken back. */
class CancelledMeanwhile extends Error {}

const resultOf = (outcome: ScheduledOutcome): BookingResult => {
  switch (outcome.kind) {
    case 'sent':
      return { status: 'sent', messageId: outcome.messageId };
    case 'held':
      return { status: 'held', pendingId: outcome.pendingId };
    case 'rejected':
      return { status: 'failed', failureReason: outcome.reason };
  }
};

export const createScheduledDispatch = ({ store, clock, newId, send, onError }: ScheduledNeeds): ScheduledDispatch => {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<boolean> | null = null;
  let stopped = true;

  const sendDue = async ({ booking, request }: DueBooking): Promise<void> => {
    const booked = JSON.parse((await decompress(request)).toString()) as ScheduledRequest;
    const { parentId } = booked;
    const parent = parentId && ((await findMessage(store.read, booking.mailboxId, parentId)) ?? 'missing');
    await send(booking.agentId, booked, parent, async (tx, outcome) => {
      if (!(await endBooking(tx, booking.id, resultOf(outcome)))) throw new CancelledMeanwhile();
    });
  };

  /** A refusal of what was booked is lasting. A fault of the instance is tried again, and given up in the end. */
  const recordFailure = async (booking: ScheduledSend, error: unknown): Promise<void> => {
    const isRefusal = error instanceof ApiError && error.status < 500;
    if (!isRefusal) onError(error);
    const pause = isRefusal ? null : pauseAfter(booking.attempts + 1);
    const failureReason = isRefusal ? error.code : 'internal_error';
    await store.write(async (tx) => {
      if (pause !== null) await deferBooking(tx, booking, clock.now() + pause);
      else await endBooking(tx, booking.id, { status: 'failed', failureReason });
    });
  };

  const settleDue = async (due: DueBooking): Promise<void> => {
    try {
      await sendDue(due);
    } catch (error) {
      if (!(error instanceof CancelledMeanwhile)) await recordFailure(due.booking, error);
    }
  };

  /** @returns whether each end could be recorded; what has none is still due */
  const sendAllDue = async (): Promise<boolean> => {
    for (;;) {
      const due = await listDueBookings(store.read, clock.now(), MAX_AT_ONCE);
      if (due.length === 0 || stopped) return true;
      const ends = await Promise.allSettled(due.map(settleDue));
      const failures = ends.filter(({ status }) => status === 'rejected');
      for (const failure of failures) onError((failure as PromiseRejectedResult).reason);
      if (failures.length > 0) return false;
    }
  };

  const runDue = (): Promise<boolean> => {
    running ??= sendAllDue().finally(() => {
      running = null;
    });
    return running;
  };

  /** What came due since the last look waits no longer. @returns null where nothing is booked */
  const untilNextLook = async (): Promise<Millis | null> => {
    const next = await nextBookingTime(store.read);
    return next === null ? null : Math.max(0, Math.min(next - clock.now(), LOOK_AGAIN_MS));
  };

  /** Sleeps while nothing is booked; looks every second while something is, so that no clock step is slept through. */
  const look = async (): Promise<void> => {
    if (stopped) return;
    const wait = await runDue()
      .then((isSettled) => (isSettled ? untilNextLook() : STORE_PAUSE_MS))
      .catch((error) => {
        onError(error);
        return STORE_PAUSE_MS;
      });
    if (stopped) return;
    if (timer) clearTimeout(timer);
    if (wait !== null) timer = setTimeout(look, wait);
  };

  return {
    schedule: async ({ agentId, mailboxId, request, sendAt, alongside }) => {
      const id = newId<'scheduled'>();
      const compressed = await compress(JSON.stringify(request));
      const { to, subject } = request;
      await store.write(async (tx) => {
        const booking = { id, agentId, mailboxId, to, subject, sendAt, bookedAt: clock.now() };
        await insertScheduledSend(tx, booking, compressed);
        await alongside?.(tx, id);
        tx.afterCommit(() => void look());
      });
      return id;
    },
    start: () => {
      stopped = false;
      void look();
    },
    runDue,
    stop: async () => {
      stopped = true;
      if (timer) clearTimeout(timer);
      await running;
    },
  };
};
