/** Which thread of a mailbox a mail belongs to. */

import { type Address, addressKey } from '../kernel/address.ts';
import { DAY, type Millis } from '../kernel/clock.ts';
import type { MailboxId, ThreadId } from '../kernel/ids.ts';
import { findMessageByRfcId } from '../store/mail/messages.ts';
import { findThreadBySubject } from '../store/mail/threads.ts';
import type { Db } from '../store/store.ts';
import type { VerifiedMessage } from '../workers/tasks.ts';

/** A reply that lost its references joins the last conversation of that subject, unless it is older. */
const SUBJECT_WINDOW_MS = 30 * DAY;
/** The references nearest to the mail are looked up; the root of a long conversation adds nothing. */
const MAX_REFERENCES = 20;

/** In-Reply-To, then References from the nearest, then the subject of a reply; null where it begins a thread. */
export const findThreadFor = async (
  db: Db,
  mailboxId: MailboxId,
  mail: Pick<VerifiedMessage, 'inReplyTo' | 'references' | 'isReplySubject' | 'baseSubject'>,
  correspondent: Address,
  now: Millis,
): Promise<ThreadId | null> => {
  const ancestors = [mail.inReplyTo, ...mail.references.slice(-MAX_REFERENCES).reverse()];
  for (const rfcId of new Set(ancestors)) {
    const parent = rfcId && (await findMessageByRfcId(db, mailboxId, rfcId));
    if (parent) return parent.threadId;
  }
  if (!mail.isReplySubject || mail.baseSubject === '') return null;
  return findThreadBySubject(db, mailboxId, mail.baseSubject, addressKey(correspondent), now - SUBJECT_WINDOW_MS);
};
