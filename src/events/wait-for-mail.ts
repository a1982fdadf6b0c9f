/**
 * Waiting for a mail to come: who waits is told by the event of its arrival and asks for nothing meanwhile. A wait
 * listens before it looks at what is stored, so that no mail falls between the two.
 */

import { addressKey, domainOf, formatNamed, localPartOf, parseDomain, parseNamedAddress } from '../kernel/address.ts';
import { type Clock, MINUTE, type Millis } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { EventData } from '../kernel/events.ts';
import type { KeyId, MailboxId, MessageId, ThreadId } from '../kernel/ids.ts';
import type { StoredEvent } from '../store/events/event-log.ts';
import { listHeadsAfter } from '../store/mail/message-summaries.ts';
import { findLatestMessageTime, findMessage, type StoredMessage } from '../store/mail/messages.ts';
import type { Db } from '../store/store.ts';
import type { ListeningPlaces } from './listening-places.ts';
import type { Events } from './publish-events.ts';

export interface MailWanted {
  mailboxId: MailboxId;
  /** Only in this thread; null: in any. */
  threadId: ThreadId | null;
  /**
   * An address, `local@` or `@domain`: the sender's own, whatever the name beside it says. Other text stands in the sender
   * as `Name <a@b>`, in any letter case. Null: any sender.
   */
  from: string | null;
  /** What the subject has in it, in any letter case; null: any subject. */
  subject: string | null;
  /** Mail stored after it counts, also from before the call; null: from now on. */
  since: Millis | null;
}

export interface WaitOptions {
  /** Whose wait it is: the bound on how many one may hold is by key, and the wait ends with the key. */
  who: KeyId;
  timeoutMs: Millis;
  /** Ends the wait as its time-out does: the caller has gone. */
  signal?: AbortSignal;
}

export interface WaitEnd {
  /** The first that matches; null where none came in time. */
  message: StoredMessage | null;
  /** `since` of the wait that goes on where this one ended: it passes over no mail, and repeats none. */
  nextSince: Millis;
}

export interface MailWaits {
  /** @throws ApiError rate_limited where `who` waits too often at once, invalid_key where the key ends meanwhile */
  wait(wanted: MailWanted, options: WaitOptions): Promise<WaitEnd>;
  /** Ends all waits, as their time-outs do, and all that are yet to come. */
  close(): void;
}

export interface MailWaitNeeds {
  read: Db;
  events: Events;
  clock: Clock;
  places: ListeningPlaces;
}

/** Stored mail is looked through in parts of this size; between two of them others have their turn. */
const PART = 250;
/** A mail is given its time a little before it is on disk: of nobody's mail is it longer. */
const UNDER_WAY_MS = MINUTE;

type IncomingCall = EventData['message.received'];

const includes = (text: string, wanted: string | null): boolean =>
  wanted === null || text.toLowerCase().includes(wanted.toLowerCase());

/** Whole addresses, local parts and domains: part of one would also be found in another that a sender chose to look alike. */
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

/** Looks through what is stored after a time, oldest first. */
const lookThrough = async (read: Db, wanted: MailWanted, since: Millis, signal: AbortSignal): Promise<WaitEnd> => {
  let nextSince = since;
  for (;;) {
    const part = await listHeadsAfter(read, wanted.mailboxId, wanted.threadId, nextSince, PART);
    for (const { id, threadId, from, subject, direction, createdAt } of part) {
      nextSince = createdAt;
      if (direction !== 'in' || !matches(wanted, { threadId, from: formatNamed(from), subject })) continue;
      const message = await findMessage(read, wanted.mailboxId, id);
      if (message) return { message, nextSince };
    }
    if (part.length < PART || signal.aborted) return { message: null, nextSince };
    await new Promise((resolve) => setImmediate(resolve));
  }
};

export const createMailWaits = ({ read, events, clock, places }: MailWaitNeeds): MailWaits => {
  const listeners = new Map<MailboxId, Set<(mail: IncomingCall) => void>>();
  const closing = new AbortController();
  const unsubscribe = events.subscribe(({ name, mailboxId, data }: StoredEvent) => {
    if (name !== 'message.received' || mailboxId === null) return;
    for (const listener of listeners.get(mailboxId) ?? []) listener(data as IncomingCall);
  });

  const listen = (mailboxId: MailboxId, listener: (mail: IncomingCall) => void): (() => void) => {
    const ofMailbox = listeners.get(mailboxId) ?? new Set();
    listeners.set(mailboxId, ofMailbox.add(listener));
    return () => {
      ofMailbox.delete(listener);
      if (ofMailbox.size === 0) listeners.delete(mailboxId);
    };
  };

  /** From now on is from the mailbox's latest mail on: two mails may share the millisecond of the call, not their time. */
  const startOf = async ({ mailboxId, since }: MailWanted): Promise<Millis> =>
    since ?? Math.max(await findLatestMessageTime(read, mailboxId), clock.now() - UNDER_WAY_MS);

  const waitUntil = async (wanted: MailWanted, signal: AbortSignal): Promise<WaitEnd> => {
    const heard: IncomingCall[] = [];
    let rouse = () => {};
    const stopListening = listen(wanted.mailboxId, (mail) => {
      const { thread_id: threadId, from, subject } = mail;
      if (!matches(wanted, { threadId, from, subject })) return;
      heard.push(mail);
      rouse();
    });
    const onAbort = () => rouse();
    signal.addEventListener('abort', onAbort);
    try {
      const looked = await lookThrough(read, wanted, await startOf(wanted), signal);
      if (looked.message) return looked;
      for (;;) {
        const mail = heard.shift();
        const message = mail && (await findMessage(read, wanted.mailboxId, mail.message_id as MessageId));
        if (message && message.createdAt > (wanted.since ?? 0)) return { message, nextSince: message.createdAt };
        // One that was deleted as soon as it came, or comes before its time, is none, and the wait goes on.
        if (mail) continue;
        if (signal.aborted) return looked;
        await new Promise<void>((resolve) => {
          rouse = resolve;
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
        place.giveBack();
      }
    },
    close: () => {
      unsubscribe();
      closing.abort();
    },
  };
};
