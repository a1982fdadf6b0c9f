/**
 * Waits for mail: a wait is woken by the event of its arrival and does not poll. It subscribes before it reads the
 * stored mail, so that no mail is missed between the two.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { formatNamed } from '../kernel/address.ts';
import type { Millis } from '../kernel/clock.ts';
import type { EventData } from '../kernel/events.ts';
import type { MailboxId, MessageId, ThreadId } from '../kernel/ids.ts';
import { includesText, isSender } from '../kernel/text/sender-match.ts';
import { listHeadsAfter } from '../store/mail/message-summaries.ts';
import { findMessage, type StoredMessage } from '../store/mail/messages.ts';
import type { Db } from '../store/store.ts';
import { type ListeningSlots, waitInSlot } from './listening-slots.ts';
import type { Events } from './publish-events.ts';
import type { Holder } from './revocations.ts';

export interface MailWanted {
  mailboxId: MailboxId;
  /** Only in this thread; null: any. */
  threadId: ThreadId | null;
  /** By kernel/text/sender-match.ts; null: any sender. */
  from: string | null;
  /** Text within the subject, ignoring case; null: any subject. */
  subject: string | null;
  /** Matches mail stored after this time, also before the call. */
  since: Millis;
  /** Whether mail stored before the call matches only while it is unread. */
  unreadOnly: boolean;
}

export interface WaitOptions {
  /** Waits are bounded by key, and end with it. */
  who: Holder;
  timeoutMs: Millis;
  /** Ends the wait like its timeout: the caller has disconnected. */
  signal?: AbortSignal;
}

export interface WaitEnd {
  /** The first match; null at the timeout. */
  message: StoredMessage | null;
  /** `since` for the next wait, which neither misses nor repeats a mail. */
  nextSince: Millis;
}

export interface MailWaits {
  /** @throws ApiError rate_limited at the bound of concurrent waits, invalid_key where the key ends during the wait */
  wait(wanted: MailWanted, options: WaitOptions): Promise<WaitEnd>;
  /** Ends all waits like their timeouts, and every later one at once. */
  close(): void;
}

export interface MailWaitNeeds {
  read: Db;
  events: Events;
  slots: ListeningSlots;
}

/** Stored mail of one query; the event loop runs between two. Few: the twenty waits of a key search in one turn. */
const BATCH = 50;

type ReceivedData = EventData['message.received'];

const matches = (wanted: MailWanted, mail: { threadId: string; from: string; subject: string }): boolean =>
  (wanted.threadId === null || wanted.threadId === mail.threadId) &&
  isSender(mail.from, wanted.from) &&
  includesText(mail.subject, wanted.subject);

/** Searches the mail stored after a time, oldest first. */
const searchStored = async (read: Db, wanted: MailWanted, signal: AbortSignal): Promise<WaitEnd> => {
  let nextSince = wanted.since;
  for (;;) {
    const batch = await listHeadsAfter(read, wanted.mailboxId, wanted.threadId, nextSince, BATCH);
    for (const { id, threadId, from, subject, direction, unread, createdAt } of batch) {
      nextSince = createdAt;
      if (
        direction !== 'in' ||
        (wanted.unreadOnly && !unread) ||
        !matches(wanted, { threadId, from: formatNamed(from), subject })
      )
        continue;
      const message = await findMessage(read, wanted.mailboxId, id);
      if (message) return { message, nextSince };
    }
    if (batch.length < BATCH || signal.aborted) return { message: null, nextSince };
    await yieldToLoop();
  }
};

export const createMailWaits = ({ read, events, slots }: MailWaitNeeds): MailWaits => {
  const closing = new AbortController();

  const waitUntil = async (wanted: MailWanted, signal: AbortSignal): Promise<WaitEnd> => {
    const matched: ReceivedData[] = [];
    let notify = () => {};
    const unsubscribe = events.subscribe(({ name, data }) => {
      if (name !== 'message.received') return;
      const mail = data as ReceivedData;
      if (!matches(wanted, { ...mail, threadId: mail.thread_id })) return;
      matched.push(mail);
      notify();
    }, wanted.mailboxId);
    const onAbort = () => notify();
    signal.addEventListener('abort', onAbort);
    try {
      const searched = await searchStored(read, wanted, signal);
      if (searched.message) return searched;
      for (;;) {
        const mail = matched.shift();
        const message = mail && (await findMessage(read, wanted.mailboxId, mail.message_id as MessageId));
        if (message && message.createdAt > wanted.since) return { message, nextSince: message.createdAt };
        // A mail that was deleted at once, or is not later than `since`, does not end the wait.
        if (mail) continue;
        if (signal.aborted) return searched;
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      unsubscribe();
    }
  };

  return {
    wait: (wanted, { who, timeoutMs, signal }) =>
      waitInSlot(slots, { who, timeoutMs, ends: [closing.signal, ...(signal ? [signal] : [])] }, (end) =>
        waitUntil(wanted, end),
      ),
    close: () => closing.abort(),
  };
};
