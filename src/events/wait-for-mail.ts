/**
 * Waits for mail: a wait is woken by the event of its arrival and does not poll. It subscribes before it reads the
 * stored mail, so that no mail is missed between the two.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { addressKey, domainOf, formatNamed, localPartOf, parseDomain, parseNamedAddress } from '../kernel/address.ts';
import { type Clock, MINUTE, type Millis } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { EventData } from '../kernel/events.ts';
import type { MailboxId, MessageId, ThreadId } from '../kernel/ids.ts';
import type { StoredEvent } from '../store/events/event-log.ts';
import { listHeadsAfter } from '../store/mail/message-summaries.ts';
import { findLatestMessageTime, findMessage, type StoredMessage } from '../store/mail/messages.ts';
import type { Db } from '../store/store.ts';
import type { Holder } from './key-endings.ts';
import type { ListeningPlaces } from './listening-places.ts';
import type { Events } from './publish-events.ts';

export interface MailWanted {
  mailboxId: MailboxId;
  /** Only in this thread; null: any. */
  threadId: ThreadId | null;
  /**
   * An address, `local@` or `@domain` is compared with the sender's address alone; other text is searched in `Name
   * <a@b>`, ignoring case. Null: any sender.
   */
  from: string | null;
  /** Text within the subject, ignoring case; null: any subject. */
  subject: string | null;
  /** Matches mail stored after this time, also before the call; null: from now on. */
  since: Millis | null;
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
  clock: Clock;
  places: ListeningPlaces;
}

/** Stored mail of one query; the event loop runs between two of them. */
const BATCH = 250;
/** Upper bound of the time between a message's `createdAt` and its commit. */
const COMMIT_WITHIN_MS = MINUTE;

type ReceivedData = EventData['message.received'];

const includes = (text: string, wanted: string | null): boolean =>
  wanted === null || text.toLowerCase().includes(wanted.toLowerCase());

/** Compares whole addresses, local parts and domains: a substring would match look-alike addresses as well. */
const isFrom = (from: string, wanted: string | null): boolean => {
  if (!wanted?.includes('@')) return includes(from, wanted);
  const sender = parseNamedAddress(from)?.address;
  if (!sender) return false;
  const key = addressKey(sender);
  const text = wanted.trim().toLowerCase();
  if (text.startsWith('@')) return domainOf(key) === parseDomain(text.slice(1), 1);
  if (text.endsWith('@')) return `${localPartOf(key)}@` === text;
  const address = parseNamedAddress(wanted)?.address;
  return address !== undefined && addressKey(address) === key;
};

const matches = (wanted: MailWanted, mail: { threadId: string; from: string; subject: string }): boolean =>
  (wanted.threadId === null || wanted.threadId === mail.threadId) &&
  isFrom(mail.from, wanted.from) &&
  includes(mail.subject, wanted.subject);

/** Searches the mail stored after a time, oldest first. */
const searchStored = async (read: Db, wanted: MailWanted, since: Millis, signal: AbortSignal): Promise<WaitEnd> => {
  let nextSince = since;
  for (;;) {
    const batch = await listHeadsAfter(read, wanted.mailboxId, wanted.threadId, nextSince, BATCH);
    for (const { id, threadId, from, subject, direction, createdAt } of batch) {
      nextSince = createdAt;
      if (direction !== 'in' || !matches(wanted, { threadId, from: formatNamed(from), subject })) continue;
      const message = await findMessage(read, wanted.mailboxId, id);
      if (message) return { message, nextSince };
    }
    if (batch.length < BATCH || signal.aborted) return { message: null, nextSince };
    await yieldToLoop();
  }
};

export const createMailWaits = ({ read, events, clock, places }: MailWaitNeeds): MailWaits => {
  const listeners = new Map<MailboxId, Set<(mail: ReceivedData) => void>>();
  const closing = new AbortController();
  const unsubscribe = events.subscribe(({ name, mailboxId, data }: StoredEvent) => {
    if (name !== 'message.received' || mailboxId === null) return;
    for (const listener of listeners.get(mailboxId) ?? []) listener(data as ReceivedData);
  });

  const listen = (mailboxId: MailboxId, listener: (mail: ReceivedData) => void): (() => void) => {
    const ofMailbox = listeners.get(mailboxId) ?? new Set();
    listeners.set(mailboxId, ofMailbox.add(listener));
    return () => {
      ofMailbox.delete(listener);
      if (ofMailbox.size === 0) listeners.delete(mailboxId);
    };
  };

  /**
   * The start of a wait without `since`: the mailbox's latest message, as message times are unique and clock readings
   * are not.
   */
  const findStart = async ({ mailboxId, since }: MailWanted): Promise<Millis> =>
    since ?? Math.max(await findLatestMessageTime(read, mailboxId), clock.now() - COMMIT_WITHIN_MS);

  const waitUntil = async (wanted: MailWanted, signal: AbortSignal): Promise<WaitEnd> => {
    const matched: ReceivedData[] = [];
    let notify = () => {};
    const stopListening = listen(wanted.mailboxId, (mail) => {
      const { thread_id: threadId, from, subject } = mail;
      if (!matches(wanted, { threadId, from, subject })) return;
      matched.push(mail);
      notify();
    });
    const onAbort = () => notify();
    signal.addEventListener('abort', onAbort);
    try {
      const searched = await searchStored(read, wanted, await findStart(wanted), signal);
      if (searched.message) return searched;
      for (;;) {
        const mail = matched.shift();
        const message = mail && (await findMessage(read, wanted.mailboxId, mail.message_id as MessageId));
        if (message && message.createdAt > (wanted.since ?? 0)) return { message, nextSince: message.createdAt };
        // A mail that was deleted at once, or is not later than `since`, does not end the wait.
        if (mail) continue;
        if (signal.aborted) return searched;
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      stopListening();
    }
  };

  return {
    wait: async (wanted, { who, timeoutMs, signal }) => {
      const place = places.take(who);
      const over = new AbortController();
      const timer = setTimeout(() => over.abort(), timeoutMs);
      try {
        const ends = [over.signal, closing.signal, place.ended, ...(signal ? [signal] : [])];
        const end = await waitUntil(wanted, AbortSignal.any(ends));
        if (place.ended.aborted || !(await place.isLive())) throw new ApiError('invalid_key');
        return end;
      } finally {
        clearTimeout(timer);
        place.release();
      }
    },
    close: () => {
      unsubscribe();
      closing.abort();
    },
  };
};
