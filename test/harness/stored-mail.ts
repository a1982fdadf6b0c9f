/** Mail as the store files it, for tests that need more of it than comes over a wire in their time. */

import { type NamedAddress, parseNamedAddress } from '../../src/kernel/address.ts';
import type { MailboxId, NewId, ThreadId } from '../../src/kernel/ids.ts';
import { fileMessage } from '../../src/store/mail/file-message.ts';
import { insertRawMessage } from '../../src/store/mail/raw-messages.ts';
import type { Store, Tx } from '../../src/store/store.ts';

export interface MailToStore {
  from?: string;
  subject?: string;
  body?: string;
  threadId?: ThreadId | null;
  direction?: 'in' | 'out';
  /** Of mail that is imported. */
  at?: number;
  unread?: boolean;
}

const toSender = (text: string): NamedAddress => {
  const sender = parseNamedAddress(text);
  if (!sender) throw new Error(`No address: ${text}`);
  return sender;
};

/** Files one mail, without its raw bytes. */
export const storeMail = async (tx: Tx, newId: NewId, mailboxId: MailboxId, mail: MailToStore, now: number) => {
  const { from = 'Carol <carol@remote.test>', subject = 'A question', body = '' } = mail;
  const { threadId: known = null, direction = 'in', at, unread } = mail;
  const id = newId<'message'>();
  const message = {
    id,
    mailboxId,
    thread: { known, orNew: newId<'thread'>() },
    direction,
    from: toSender(from),
    to: [],
    cc: [],
    replyTo: [],
    subject,
    baseSubject: subject,
    snippet: body.slice(0, 100),
    body,
    spamVerdict: 'PASS' as const,
    authentication: null,
    doubtful: false,
    rfcMessageId: null,
    inReplyTo: null,
    references: [],
    automatic: false,
    sendClass: null,
    attachments: [],
    defects: [],
    rawId: await insertRawMessage(tx, { mime: Buffer.alloc(0), size: 0 }),
    ...(at !== undefined && { at }),
    ...(unread !== undefined && { unread }),
  };
  return { id, ...(await fileMessage(tx, message, now)) };
};

/** Mails of one transaction. */
const BATCH = 500;

/** Files `count` mails, each a second newer than the one before it. */
export const storeMails = async (
  store: Store,
  newId: NewId,
  mailboxId: MailboxId,
  count: number,
  mail: (n: number) => MailToStore,
): Promise<void> => {
  const first = Date.now() - count * 1_000;
  for (let from = 0; from < count; from += BATCH) {
    await store.write(async (tx) => {
      const end = Math.min(from + BATCH, count);
      for (let n = from; n < end; n += 1) await storeMail(tx, newId, mailboxId, mail(n), first + n * 1_000);
    });
  }
};
