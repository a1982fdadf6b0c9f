/** Deletes the mailboxes of expired disposable addresses, and their mail. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { HOUR, type Millis } from '../../kernel/clock.ts';
import type { MailboxId } from '../../kernel/ids.ts';
import { deleteEmptyMailbox, listExpiredMailboxes } from '../../store/accounts/temp-addresses.ts';
import { deleteMessage, listMessagesAfter } from '../../store/mail/messages.ts';
import type { Store } from '../../store/store.ts';

/** A mail whose RCPT was accepted before the expiry is stored after it; no SMTP session lasts an hour. */
export const KEPT_AFTER_EXPIRY_MS: Millis = HOUR;
/** A transaction holds up all others: it takes so many mails, and the next a moment later. */
const MESSAGES_AT_ONCE = 100;
const MAILBOXES_AT_ONCE = 100;

export const removeExpiredMailboxes = async (store: Store, now: Millis): Promise<void> => {
  for (;;) {
    const expired = await listExpiredMailboxes(store.read, now - KEPT_AFTER_EXPIRY_MS, MAILBOXES_AT_ONCE);
    for (const mailboxId of expired) {
      while (!(await removePart(store, mailboxId))) await yieldToLoop();
    }
    if (expired.length < MAILBOXES_AT_ONCE) return;
  }
};

/** @returns whether nothing is left */
const removePart = (store: Store, mailboxId: MailboxId): Promise<boolean> =>
  store.write(async (tx) => {
    const messages = await listMessagesAfter(tx.db, mailboxId, null, 0, MESSAGES_AT_ONCE);
    for (const message of messages) await deleteMessage(tx, message);
    if (messages.length === MESSAGES_AT_ONCE) return false;
    await deleteEmptyMailbox(tx, mailboxId);
    return true;
  });
