/** Deletion of a mailbox with all rows about it, or of its old mail, some at a time. */

import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId } from '../../kernel/ids.ts';
import { correspondents, heardFrom, threads, unauthenticatedSenders } from '../mail/mail-mappings.ts';
import { deleteMessage, listMessagesAfter } from '../mail/messages.ts';
import { deleteFromThreads } from '../mail/threads.ts';
import { deleteSomeOf, type Owned } from '../owned-rows.ts';
import { deleteRows } from '../rows.ts';
import { bodyRecipients, coldSends, heldSends, mailDays, scheduledSends, usage } from '../sending/sending-mappings.ts';
import type { Tx } from '../store.ts';
import { addresses, mailboxes } from './accounts-mappings.ts';

/** After the messages, which some refer to. */
const OF_MAILBOX: readonly Owned[] = [
  [threads, 'mailboxId'],
  [correspondents, 'mailboxId'],
  [heardFrom, 'mailboxId'],
  [unauthenticatedSenders, 'mailboxId'],
  [coldSends, 'mailboxId'],
  [bodyRecipients, 'mailboxId'],
  [heldSends, 'mailboxId'],
  [scheduledSends, 'mailboxId'],
  [usage, 'scope'],
  [mailDays, 'scope'],
];

/** Deletes mail, and where none is left other rows. @returns the number that were deleted; 0: nothing is left */
export const deleteSomeOfMailbox = async (tx: Tx, mailboxId: MailboxId, limit: number): Promise<number> => {
  const messages = await listMessagesAfter(tx.db, mailboxId, 0, limit);
  for (const message of messages) await deleteMessage(tx, message);
  return messages.length > 0 ? messages.length : deleteSomeOf(tx, OF_MAILBOX, mailboxId, limit);
};

/** Deletes mail that was stored before a time, the oldest first. @returns the number that were deleted */
export const deleteMailBefore = async (
  tx: Tx,
  mailboxId: MailboxId,
  before: Millis,
  limit: number,
): Promise<number> => {
  const oldest = await listMessagesAfter(tx.db, mailboxId, 0, limit);
  const expired = oldest.filter(({ createdAt }) => createdAt < before);
  await deleteFromThreads(tx, expired);
  return expired.length;
};

/** Deletes some of a mailbox, and the mailbox itself once that was all: its address is unassigned from then on. @returns whether nothing is left */
export const deleteMailboxPart = async (tx: Tx, mailboxId: MailboxId, limit: number): Promise<boolean> => {
  if ((await deleteSomeOfMailbox(tx, mailboxId, limit)) > 0) return false;
  await deleteRows(tx, addresses, { mailboxId });
  await deleteRows(tx, mailboxes, { id: mailboxId });
  return true;
};
