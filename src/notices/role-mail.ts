/** Forwards mail for postmaster and abuse to the domain's owner, up to a daily limit; the rest is one digest. */

import { formatNamed, type NamedAddress } from '../kernel/address.ts';
import { type Clock, DAY } from '../kernel/clock.ts';
import type { MailboxId, MessageId } from '../kernel/ids.ts';
import { findRoleMailDay, setRoleMailDay } from '../store/events/notices.ts';
import type { Tx } from '../store/store.ts';
import type { NewNotice } from './notices.ts';

/** Role mails forwarded to one owner in a UTC day: any sender can reach postmaster. */
export const ROLE_MAIL_PER_DAY = 100;
/** Mails that a digest lists; its count includes all. */
const MAX_NAMED = 20;
/** Characters of an author and of a subject in a digest. */
const MAX_CHARS = 200;

/** A mail for postmaster or abuse, stored in the same transaction. */
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
    const isForwarded = count < ROLE_MAIL_PER_DAY;
    const entry = { address, from: formatNamed(from).slice(0, MAX_CHARS), subject: subject.slice(0, MAX_CHARS) };
    const named = isForwarded || withheld.length >= MAX_NAMED ? withheld : [...withheld, entry];
    await setRoleMailDay(tx, ownerEmail, now, { count: count + 1, withheld: named });
    if (isForwarded) await write(tx, { kind: 'role-mail', data: { address, mailboxId, messageId }, ownerEmail });
    // The first mail above the limit schedules the day's digest.
    if (count !== ROLE_MAIL_PER_DAY) return;
    const day = now - (now % DAY);
    await write(tx, { kind: 'role-digest', data: { day }, ownerEmail, dueAt: day + DAY });
  };
