/** Finds the thread of a mailbox that a mail joins. */

import { type Address, addressKey } from '../kernel/address.ts';
import { DAY, type Millis } from '../kernel/clock.ts';
import type { MailboxId, ThreadId } from '../kernel/ids.ts';
import { findMessageByRfcId } from '../store/mail/messages.ts';
import { findThreadBySubject } from '../store/mail/threads.ts';
import type { Db } from '../store/store.ts';
import type { VerifiedMessage } from '../workers/tasks.ts';

/**
 * A reply without references joins the latest thread with its subject and correspondent that ended within 30 days of
 * it.
 */
const SUBJECT_WINDOW_MS = 30 * DAY;
/** Only the last 20 references are looked up. */
const MAX_REFERENCES = 20;

/**
 * By In-Reply-To, then References from the last, then the base subject of a reply; null where a thread begins.
 * @param at the time of the mail: now, unless it is imported
 */
export const findThreadFor = async (
  db: Db,
  mailboxId: MailboxId,
  mail: Pick<VerifiedMessage, 'inReplyTo' | 'references' | 'isReplySubject' | 'baseSubject'>,
  correspondent: Address,
  at: Millis,
): Promise<ThreadId | null> => {
  const ancestors = [mail.inReplyTo, ...mail.references.slice(-MAX_REFERENCES).reverse()];
  for (const rfcId of new Set(ancestors)) {
    const parent = rfcId && (await findMessageByRfcId(db, mailboxId, rfcId));
    if (parent) return parent.threadId;
  }
  if (!mail.isReplySubject || mail.baseSubject === '') return null;
  return findThreadBySubject(db, mailboxId, mail.baseSubject, addressKey(correspondent), {
    since: at - SUBJECT_WINDOW_MS,
    until: at + SUBJECT_WINDOW_MS,
  });
};
