/** Addresses that a mailbox has exchanged mail with. */

import { type Address, withoutTag } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedSelect, preparedUpdate } from '../prepared-statement.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';
import { correspondents, doubtedSenders, heardFrom } from './mail-mappings.ts';

const insert = preparedInsert(correspondents, (conflict) => conflict.doNothing());

/** A mailbox has written to `address` itself: a whitelist identity accepts its mail from then on. */
export const insertCorrespondent = async (
  tx: Tx,
  mailboxId: MailboxId,
  address: Address,
  now: Millis,
): Promise<void> => {
  await insert(tx, { mailboxId, address, firstWrittenAt: now });
};

/** Of one table of a mailbox's addresses. */
const preparedHas = (table: 'correspondents' | 'heard_from' | 'doubted_senders') => {
  const select = preparedSelect((db, { mailboxId, address }: { mailboxId: Uint8Array; address: string }) =>
    db
      .selectFrom(table)
      .select('address')
      .where('mailbox_id', '=', mailboxId)
      .where('address', '=', address as Address),
  );
  return async (db: Db, mailboxId: MailboxId, address: Address): Promise<boolean> =>
    (await select(db, { mailboxId: toBlob(mailboxId), address })).length > 0;
};

export const isCorrespondent = preparedHas('correspondents');

const insertHeard = preparedInsert(heardFrom, (conflict) => conflict.doNothing());

/** `address` has written to the mailbox: sends to it are no longer cold; no whitelist accepts its mail for that. */
export const insertHeardFrom = async (tx: Tx, mailboxId: MailboxId, address: Address): Promise<void> => {
  await insertHeard(tx, { mailboxId, address });
};

/** Whether the mailbox has an aligned mail of `address`, or had one. */
export const hasHeardFrom = preparedHas('heard_from');

/** Whether any of these has neither written to the mailbox nor been written to. */
export const hasUnknownAddress = async (
  db: Db,
  mailboxId: MailboxId,
  addresses: readonly Address[],
): Promise<boolean> => {
  for (const address of addresses) {
    if (await isCorrespondent(db, mailboxId, address)) continue;
    if (!(await hasHeardFrom(db, mailboxId, address))) return true;
  }
  return false;
};

const insertDoubted = preparedInsert(doubtedSenders, (conflict) => conflict.doNothing());

/**
 * A doubtful mail states `address` as its author's, or asks for answers there. Doubt is about a mailbox, not about one of
 * its tags: mail to `x+q@y` reaches `x@y` as well.
 */
export const insertDoubtedSender = async (tx: Tx, mailboxId: MailboxId, address: Address): Promise<void> => {
  await insertDoubted(tx, { mailboxId, address: withoutTag(address) });
};

const isDoubted = preparedHas('doubted_senders');

/** Whether a doubtful mail named any of these since the mailbox last wrote to it. */
export const hasDoubtedSender = async (
  db: Db,
  mailboxId: MailboxId,
  addresses: readonly Address[],
): Promise<boolean> => {
  for (const address of addresses) if (await isDoubted(db, mailboxId, withoutTag(address))) return true;
  return false;
};

const deleteDoubted = preparedUpdate((db, { mailboxId, address }: { mailboxId: Uint8Array; address: string }) =>
  db
    .deleteFrom('doubted_senders')
    .where('mailbox_id', '=', mailboxId)
    .where('address', '=', address as Address),
);

/** The mailbox has written to `address`: doubts from before have been reviewed, or did not matter. */
export const clearDoubtedSender = async (tx: Tx, mailboxId: MailboxId, address: Address): Promise<void> => {
  await deleteDoubted(tx, { mailboxId: toBlob(mailboxId), address: withoutTag(address) });
};
