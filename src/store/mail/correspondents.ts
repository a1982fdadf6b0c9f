/** With whom a mailbox has exchanged mail. */

import { type Address, withoutTag } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { MailboxId } from '../../kernel/ids.ts';
import { preparedInsert } from '../prepared-insert.ts';
import { preparedUpdate } from '../prepared-query.ts';
import type { Db, Tx } from '../store.ts';
import { toBlob } from '../values.ts';

const insert = preparedInsert(
  'correspondents',
  ['mailbox_id', 'address', 'first_written_at'],
  'on conflict do nothing',
);

/** A mailbox has written to `address` itself: a whitelist identity knows it from then on. */
export const insertCorrespondent = async (
  tx: Tx,
  mailboxId: MailboxId,
  address: Address,
  now: Millis,
): Promise<void> => {
  await insert(tx, { mailbox_id: toBlob(mailboxId), address, first_written_at: now });
};

export const isCorrespondent = async (db: Db, mailboxId: MailboxId, address: Address): Promise<boolean> => {
  const row = await db
    .selectFrom('correspondents')
    .select('first_written_at')
    .where('mailbox_id', '=', toBlob(mailboxId))
    .where('address', '=', address)
    .executeTakeFirst();
  return row !== undefined;
};

const insertHeard = preparedInsert('heard_from', ['mailbox_id', 'address'], 'on conflict do nothing');

/** `address` has written to the mailbox: no stranger to it, though no whitelist lets it in for that. */
export const insertHeardFrom = async (tx: Tx, mailboxId: MailboxId, address: Address): Promise<void> => {
  await insertHeard(tx, { mailbox_id: toBlob(mailboxId), address });
};

/** Whether any of these has neither written to the mailbox nor been written to. */
export const hasStranger = async (db: Db, mailboxId: MailboxId, addresses: readonly Address[]): Promise<boolean> => {
  for (const address of addresses) {
    if (await isCorrespondent(db, mailboxId, address)) continue;
    const heard = await db
      .selectFrom('heard_from')
      .select('address')
      .where('mailbox_id', '=', toBlob(mailboxId))
      .where('address', '=', address)
      .executeTakeFirst();
    if (!heard) return true;
  }
  return false;
};

const insertDoubted = preparedInsert('doubted_senders', ['mailbox_id', 'address'], 'on conflict do nothing');

/**
 * A doubtful mail says that it is from `address`, or asks for answers there. Doubt is about a mailbox, not about one of its
 * tags: who asks for mail to `x@y` is obeyed by mail to `x+q@y` as well.
 */
export const insertDoubtedSender = async (tx: Tx, mailboxId: MailboxId, address: Address): Promise<void> => {
  await insertDoubted(tx, { mailbox_id: toBlob(mailboxId), address: withoutTag(address) });
};

/** Whether a doubtful mail named any of these since the mailbox last wrote to it. */
export const hasDoubtedSender = async (
  db: Db,
  mailboxId: MailboxId,
  addresses: readonly Address[],
): Promise<boolean> => {
  const row = await db
    .selectFrom('doubted_senders')
    .select('address')
    .where('mailbox_id', '=', toBlob(mailboxId))
    .where('address', 'in', addresses.map(withoutTag))
    .executeTakeFirst();
  return row !== undefined;
};

const deleteDoubted = preparedUpdate((db, mailboxId: Uint8Array, address: string) =>
  db.deleteFrom('doubted_senders').where('mailbox_id', '=', mailboxId).where('address', '=', address),
);

/** The mailbox has written to `address`: what was doubtful before was either seen by a person, or was no concern. */
export const settleDoubtedSender = async (tx: Tx, mailboxId: MailboxId, address: Address): Promise<void> => {
  await deleteDoubted(tx, toBlob(mailboxId), withoutTag(address));
};
