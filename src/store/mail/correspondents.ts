/** Addresses that a mailbox has exchanged mail with. */

import { type Address, withoutTag } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { deleteRows, findRow } from '../rows.ts';
import type { Db, Tx } from '../store.ts';
import { correspondents, heardFrom, unauthenticatedSenders } from './mail-mappings.ts';

const insert = preparedInsert(correspondents, (conflict) => conflict.doNothing());

/** A mailbox has written to `address` itself: a whitelist identity accepts its mail from then on. */
export const insertCorrespondent = (tx: Tx, mailboxId: MailboxId, address: Address, now: Millis): Promise<void> =>
  insert(tx, { mailboxId, address, firstWrittenAt: now });

export const isCorrespondent = async (db: Db, mailboxId: MailboxId, address: Address): Promise<boolean> =>
  (await findRow(db, correspondents, { mailboxId, address })) !== null;

const insertHeard = preparedInsert(heardFrom, (conflict) => conflict.doNothing());

/** `address` has written to the mailbox: sends to it are no longer cold; no whitelist accepts its mail for that. */
export const insertHeardFrom = (tx: Tx, mailboxId: MailboxId, address: Address): Promise<void> =>
  insertHeard(tx, { mailboxId, address });

/** Whether the mailbox ever received aligned mail from `address`. */
export const hasHeardFrom = async (db: Db, mailboxId: MailboxId, address: Address): Promise<boolean> =>
  (await findRow(db, heardFrom, { mailboxId, address })) !== null;

/** Whether the mailbox exchanged no mail with one of these. */
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

const insertUnauthenticated = preparedInsert(unauthenticatedSenders, (conflict) => conflict.doNothing());

/**
 * An unauthenticated mail names `address` as its author or in Reply-To. Recorded for the mailbox without tags, because
 * mail to `x+q@y` reaches `x@y` as well.
 */
export const insertUnauthenticatedSender = (tx: Tx, mailboxId: MailboxId, address: Address): Promise<void> =>
  insertUnauthenticated(tx, { mailboxId, address: withoutTag(address) });

/** Whether an unauthenticated mail named any of these since the mailbox last wrote to it. */
export const hasUnauthenticatedSender = async (
  db: Db,
  mailboxId: MailboxId,
  addresses: readonly Address[],
): Promise<boolean> => {
  for (const address of addresses) {
    if (await findRow(db, unauthenticatedSenders, { mailboxId, address: withoutTag(address) })) return true;
  }
  return false;
};

/** The mailbox has written to `address`, so earlier unauthenticated mail was reviewed or did not matter. */
export const clearUnauthenticatedSender = (tx: Tx, mailboxId: MailboxId, address: Address): Promise<void> =>
  deleteRows(tx, unauthenticatedSenders, { mailboxId, address: withoutTag(address) });
