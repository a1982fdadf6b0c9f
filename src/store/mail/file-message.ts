/** Files a message into a mailbox: mail received, mail accepted for sending and DSNs of this instance all pass here. */

import { formatNamed } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { ThreadId } from '../../kernel/ids.ts';
import type { Tx } from '../store.ts';
import { freeMessageTime, insertMessage, nextMessageTime, type StoredMessage } from './messages.ts';
import { joinOrBeginThread } from './threads.ts';

export interface NewMessage
  extends Omit<
      StoredMessage,
      | 'seq'
      | 'threadId'
      | 'unread'
      | 'archived'
      | 'status'
      | 'openToken'
      | 'opens'
      | 'createdAt'
      | 'via'
      | 'approvedDigest'
      | 'sentBy'
    >,
    Partial<Pick<StoredMessage, 'via' | 'approvedDigest' | 'sentBy'>> {
  /** `known` is joined where it still exists in the mailbox; else `orNew` is begun. */
  thread: { known: ThreadId | null; orNew: ThreadId };
  /**
   * The subject without reply and forward marks (RFC 5256 section 2.1): replies without references are matched by it.
   */
  baseSubject: string;
  /** The text that the full-text index holds. */
  body: string;
  /** The same, packed with the mail's bytes (packed-text.ts). Left out: it is stored as it is. */
  packedText?: Uint8Array;
  /** Left out: opens are not counted. */
  openToken?: string | null;
  /** When imported mail arrived in its former mailbox; at most now. Left out: it arrives now. */
  at?: Millis;
  /** Left out: received mail is. */
  unread?: boolean;
}

export interface FiledMessage {
  threadId: ThreadId;
  /** Unique in the mailbox: `now`, or 1 ms after the mailbox's latest message; of imported mail its own time or just after. */
  createdAt: Millis;
}

/**
 * Gives the message its time, puts it into its thread, inserts its row and its text. Received mail begins
 * unread, unless it says otherwise. The raw bytes are inserted before, once for all mailboxes that share them.
 */
export const fileMessage = async (
  tx: Tx,
  { thread, baseSubject, body, packedText, at, unread: isUnread, ...message }: NewMessage,
  now: Millis,
): Promise<FiledMessage> => {
  const { mailboxId, direction, subject, snippet } = message;
  const createdAt =
    at === undefined
      ? await nextMessageTime(tx, mailboxId, now)
      : await freeMessageTime(tx, mailboxId, Math.min(at, now));
  const sender = formatNamed(message.from);
  const recipients = [...message.to, ...message.cc].map(formatNamed);
  const unread = isUnread ?? direction === 'in';
  const entry = { subject, snippet, participants: [sender, ...recipients], unread, at: createdAt };
  const threadId = await joinOrBeginThread(tx, thread, mailboxId, baseSubject, entry);
  const status = direction === 'in' ? 'received' : 'sent';
  await insertMessage(
    tx,
    { ...message, threadId, unread, archived: false, status, createdAt },
    { subject, sender, recipients: recipients.join(', '), body, packed: packedText ?? null },
  );
  return { threadId, createdAt };
};
