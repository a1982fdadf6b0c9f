/** Deletes the mailboxes of expired disposable addresses, and their mail. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { HOUR, type Millis } from '../../kernel/clock.ts';
import { deleteMailboxPart } from '../../store/accounts/mailbox-rows.ts';
import { listExpiredMailboxes } from '../../store/accounts/temp-addresses.ts';
import type { Store } from '../../store/store.ts';

/** A mail with a RCPT before the expiry is stored after it; no SMTP session lasts an hour. */
export const KEPT_AFTER_EXPIRY_MS: Millis = HOUR;
/** Rows of one transaction, for which other writers wait. */
const ROWS_AT_ONCE = 100;
const MAILBOXES_AT_ONCE = 100;

export const removeExpiredMailboxes = async (store: Store, now: Millis): Promise<void> => {
  for (;;) {
    const expired = await listExpiredMailboxes(store.read, now - KEPT_AFTER_EXPIRY_MS, MAILBOXES_AT_ONCE);
    for (const mailboxId of expired) {
      while (!(await store.write((tx) => deleteMailboxPart(tx, mailboxId, ROWS_AT_ONCE)))) await yieldToLoop();
    }
    if (expired.length < MAILBOXES_AT_ONCE) return;
  }
};
