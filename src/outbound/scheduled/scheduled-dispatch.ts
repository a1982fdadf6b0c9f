/**
 * Scheduled sends. Scheduling stores the request, up to a bound for each mailbox. When it is due it passes the send gate
 * like any other send. Its result is written in that send's transaction, so that a crash cannot send it twice.
 */

import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { Events } from '../../events/publish-events.ts';
import type { Address, NamedAddress } from '../../kernel/address.ts';
import { toCredential, type Via } from '../../kernel/caller.ts';
import { type Clock, DAY, HOUR, isoTime, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';
import { ApiError, wrongField } from '../../kernel/errors.ts';
import type { AgentId, KeyId, MailboxId, MessageId, NewId, ScheduledId } from '../../kernel/ids.ts';
import { createStoppableWork } from '../../kernel/wake-loop.ts';
import { findMessage } from '../../store/mail/messages.ts';
import {
  type DueScheduledSend,
  deferScheduledSend,
  endDueSend,
  insertScheduledSend,
  listDueScheduledSends,
  nextScheduledTime,
  type ScheduledResult,
  type ScheduledSend,
  sumScheduledSends,
} from '../../store/sending/scheduled-sends.ts';
import type { Store, Tx } from '../../store/store.ts';
import type { Rejection } from '../gate/gate-check.ts';
import type { SendMail, SendOutcome, SendRequest } from '../gate/send-request.ts';
import { cancelOrphan, isBookerLive } from './cancel-orphaned.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** The latest time of a scheduled send, from now. */
const HORIZON_MS = 30 * DAY;

/** Of one mailbox: a month's sends of the largest plan that has a limit. */
export const MAX_SCHEDULED = 10_000;
/** Bytes of what one mailbox has scheduled, which stands on the disk until then: as many as may be held. */
export const MAX_SCHEDULED_BYTES = 200 * 1024 * 1024;

/** @throws ApiError invalid_request where a send cannot be scheduled for that time */
export const requireSchedulable = (sendAt: Millis, now: Millis): void => {
  if (sendAt > now && sendAt <= now + HORIZON_MS) return;
  throw wrongField('send_at', `lies in the future, at most 30 days ahead; it is ${isoTime(now)}`);
};

/** The longest sleep while anything is scheduled: a clock step delays a send by 2 s at most. */
const POLL_MS = SECOND;
/** Pause after the store could not be read or written. */
const STORE_PAUSE_MS = 30 * SECOND;
/** Concurrent sends; the rest of what is due follows at once. */
const BATCH = 20;

/** After each attempt that failed by a fault of the instance; about 8 hours in all, in which an operator can repair the instance. */
const PAUSES_MS: readonly Millis[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
];

/**
 * @param attempts failed attempts so far, 1 or more
 * @returns the pause before the next, or null where there is none
 */
const pauseAfter = (attempts: number): Millis | null => PAUSES_MS[attempts - 1] ?? null;

/** A scheduled send request. Serialisable. */
export interface ScheduledRequest {
  /** Left out in what older versions stored. */
  via?: Via;
  to: NamedAddress[];
  cc: NamedAddress[];
  /** Left out, like the next: none. */
  bcc?: NamedAddress[];
  replyTo?: NamedAddress[];
  subject: string;
  body: string;
  html?: string;
  attachments: { filename: string; contentType: string; contentId?: string | null; base64: string }[];
  trackOpens: boolean;
  parentId: MessageId | null;
  /** Left out: no. */
  sendsOnDoubtful?: boolean;
}

/** @param compressed as {@link ScheduledDispatch.schedule} stores it */
export const readRequest = async (compressed: Uint8Array): Promise<ScheduledRequest> =>
  JSON.parse((await decompress(compressed)).toString());

export interface ScheduleInput {
  agentId: AgentId;
  mailboxId: MailboxId;
  /** The key's, or with `byGrant` the grant's. */
  bookedBy: KeyId | null;
  byGrant: boolean;
  /** The owner who schedules in the agent's name; null or left out: the agent does. */
  sentBy?: Address | null;
  request: ScheduledRequest;
  sendAt: Millis;
  /** Runs in the transaction that inserts the row. */
  inTransaction?: (tx: Tx, id: ScheduledId) => Promise<void>;
}

const toSendRequest = (
  { agentId, sentBy, bookedBy, byGrant }: ScheduledSend,
  { via = 'daemon', to, cc, bcc = [], replyTo = [], subject, body, html, ...scheduled }: ScheduledRequest,
  parent: SendRequest['parent'],
): SendRequest => ({
  agentId,
  via,
  ...(bookedBy && { credential: toCredential(bookedBy, byGrant) }),
  sentBy: sentBy ?? undefined,
  to,
  cc,
  bcc,
  content: {
    kind: 'compose',
    subject,
    body,
    ...(html !== undefined && { html }),
    replyTo,
    attachments: scheduled.attachments.map(({ base64, ...attachment }) => ({
      ...attachment,
      content: Buffer.from(base64, 'base64'),
    })),
    trackOpens: scheduled.trackOpens,
  },
  parent,
  ...(scheduled.sendsOnDoubtful && { sendsOnDoubtful: true }),
});

export interface ScheduledNeeds {
  store: Store;
  clock: Clock;
  newId: NewId;
  /** Passes a due request through the send gate. */
  send: SendMail;
  events: Pick<Events, 'publish'>;
  onError: (error: unknown) => void;
}

export interface ScheduledDispatch {
  /** @returns the rejection where the mailbox has scheduled as much as it may */
  schedule(input: ScheduleInput): Promise<ScheduledId | Rejection>;
  start(): void;
  /** Sends what is due now; a send without a recorded result is due again. */
  runDue(): Promise<void>;
  stop(): Promise<void>;
}

/** Thrown inside the sending transaction where the scheduled send was cancelled or moved before: rolls the send back. */
class NotDue extends Error {}

const toResult = (outcome: SendOutcome): ScheduledResult => {
  switch (outcome.kind) {
    case 'sent':
      return { status: 'sent', messageId: outcome.messageId };
    case 'held':
      return { status: 'held', pendingId: outcome.pendingId };
    case 'rejected':
      return { status: 'failed', failureReason: outcome.reason };
  }
};

export const createScheduledDispatch = ({
  store,
  clock,
  newId,
  send,
  events,
  onError,
}: ScheduledNeeds): ScheduledDispatch => {
  const sendDue = async ({ scheduled, request: compressed }: DueScheduledSend): Promise<void> => {
    if (!(await isBookerLive(store.read, scheduled, clock.now()))) {
      await store.write((tx) => cancelOrphan(events, tx, scheduled));
      return;
    }
    const request = await readRequest(compressed);
    const { parentId } = request;
    const parent = parentId && ((await findMessage(store.read, scheduled.mailboxId, parentId)) ?? 'missing');
    await send({
      ...toSendRequest(scheduled, request, parent),
      inTransaction: async (tx, outcome) => {
        if (!(await endDueSend(tx, scheduled, toResult(outcome)))) throw new NotDue();
      },
    });
  };

  /** A refusal of the request is final. A fault of the instance is retried after the pauses above. */
  const recordFailure = async (scheduled: ScheduledSend, error: unknown): Promise<void> => {
    const isRefusal = error instanceof ApiError && error.status < 500;
    if (!isRefusal) onError(error);
    const pause = isRefusal ? null : pauseAfter(scheduled.attempts + 1);
    const failureReason = isRefusal ? error.code : 'internal_error';
    await store.write(async (tx) => {
      if (pause !== null) await deferScheduledSend(tx, scheduled, clock.now() + pause);
      else await endDueSend(tx, scheduled, { status: 'failed', failureReason });
    });
  };

  const runOne = async (due: DueScheduledSend): Promise<void> => {
    try {
      await sendDue(due);
    } catch (error) {
      if (!(error instanceof NotDue)) await recordFailure(due.scheduled, error);
    }
  };

  /** @returns whether every result was recorded */
  const sendAllDue = async (): Promise<boolean> => {
    for (;;) {
      const due = await listDueScheduledSends(store.read, clock.now(), BATCH);
      if (due.length === 0 || work.stopping.aborted) return true;
      const results = await Promise.allSettled(due.map(runOne));
      const failures = results.filter(({ status }) => status === 'rejected');
      for (const failure of failures) onError((failure as PromiseRejectedResult).reason);
      if (failures.length > 0) return false;
    }
  };

  /** At least 0, at most {@link POLL_MS}, so that clock steps are noticed. @returns null where nothing is scheduled */
  const untilNextRun = async (): Promise<Millis | null> => {
    const next = await nextScheduledTime(store.read);
    return next === null ? null : Math.max(0, Math.min(next - clock.now(), POLL_MS));
  };

  const work = createStoppableWork(
    async () => ((await sendAllDue()) ? untilNextRun() : STORE_PAUSE_MS),
    (error) => {
      onError(error);
      return STORE_PAUSE_MS;
    },
  );

  return {
    schedule: async ({ request, sendAt, inTransaction, ...by }) => {
      const id = newId<'scheduled'>();
      const compressed = await compress(JSON.stringify(request));
      const { to, subject } = request;
      return store.write(async (tx) => {
        const { count, bytes, firstAt } = await sumScheduledSends(tx.db, by.mailboxId);
        if (count >= MAX_SCHEDULED || bytes + compressed.length > MAX_SCHEDULED_BYTES) {
          return { reason: 'too_much_scheduled_mail', ...(firstAt !== null && { retryAt: firstAt }) };
        }
        const scheduled = { id, ...by, to, subject, sendAt, bookedAt: clock.now() };
        await insertScheduledSend(tx, scheduled, compressed);
        await inTransaction?.(tx, id);
        tx.afterCommit(work.wake);
        return id;
      });
    },
    start: work.start,
    runDue: work.run,
    stop: work.stop,
  };
};
