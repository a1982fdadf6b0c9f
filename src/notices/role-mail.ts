/** Passes mail to postmaster and abuse on to the owner of the domain, so many a day; the rest comes as one digest. */

import { formatNamed, type NamedAddress } from '../kernel/address.ts';
import { type Clock, DAY } from '../kernel/clock.ts';
import type { MailboxId, MessageId } from '../kernel/ids.ts';
import { findRoleMailDay, setRoleMailDay } from '../store/events/notices.ts';
import type { Tx } from '../store/store.ts';
import type { NewNotice } from './notices.ts';

/** An owner gets so many of them in a UTC day: anybody can write to postmaster. */
export const ROLE_MAIL_PER_DAY = 100;
/** Mails that a digest names; it counts all. */
const MAX_NAMED = 20;
const MAX_CHARS = 200;

/** A mail to postmaster or abuse that was stored in this transaction. */
export interface RoleMail {
  address: string;
  ownerEmail: string;
  from: NamedAddress;
  subject: string;
  mailboxId: MailboxId;
  messageId: MessageId;
}

export const createForwardRoleMail =
  ({ clock, write }: { clock: Clock; write: (tx: Tx, notice: NewNotice) => Promise<void> }) =>
  async (tx: Tx, { address, ownerEmail, from, subject, mailboxId, messageId }: RoleMail): Promise<void> => {
    const now = clock.now();
    const { count, withheld } = await findRoleMailDay(tx.db, ownerEmail, now);
    const isPassedOn = count < ROLE_MAIL_PER_DAY;
    const entry = { address, from: formatNamed(from).slice(0, MAX_CHARS), subject: subject.slice(0, MAX_CHARS) };
    const named = isPassedOn || withheld.length >= MAX_NAMED ? withheld : [...withheld, entry];
    await setRoleMailDay(tx, ownerEmail, now, { count: count + 1, withheld: named });
    if (isPassedOn) await write(tx, { kind: 'role-mail', data: { address, mailboxId, messageId }, ownerEmail });
    if (count !== ROLE_MAIL_PER_DAY) return;
    const day = now - (now % DAY);
    await write(tx, { kind: 'role-digest', data: { day }, ownerEmail, dueAt: day + DAY });
  };
