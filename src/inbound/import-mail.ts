/**
 * Files mail of another program into a mailbox. Nothing of it is verified: it counts as unauthenticated, makes no
 * sender known, publishes no event and is not counted. A mail that the mailbox has is skipped.
 */

import { type Address, addressKey, domainOf, type NamedAddress, parseAddress } from '../kernel/address.ts';
import type { Clock, Millis } from '../kernel/clock.ts';
import type { MailboxId, NewId } from '../kernel/ids.ts';
import { contentDigest } from '../mail/mbox/content-digest.ts';
import { truncateDefects } from '../mail/mime/defects.ts';
import { fileMessage } from '../store/mail/file-message.ts';
import {
  type CopyOf,
  listPossibleCopies,
  MOST_POSSIBLE_COPIES,
  type PossibleCopy,
} from '../store/mail/message-copies.ts';
import { findRawMessage, insertRawMessage } from '../store/mail/raw-messages.ts';
import type { Store, Tx } from '../store/store.ts';
import { decompress } from '../workers/compression.ts';
import type { ImportedMail, Task } from '../workers/tasks.ts';
import { findThreadFor } from './find-thread.ts';
import { messageFields } from './message-fields.ts';
import { insertUnauthenticatedSenders } from './unauthenticated-senders.ts';

export interface ImportNeeds {
  store: Store;
  clock: Clock;
  newId: NewId;
  /** Rejects where the mail breaks its reader. */
  readImported: (task: Task<'import'>) => Promise<ImportedMail>;
}

export interface MailToImport {
  raw: Uint8Array;
  /** When it came; a time in the future becomes now. */
  at: Millis;
}

export interface ImportPlace {
  mailboxId: MailboxId;
  /** Mail from one of them counts as sent by the mailbox. */
  addresses: readonly Address[];
  /** Whether received mail is filed as unread. */
  unread: boolean;
}

type ImportRefusal = 'not_a_mail' | 'header_too_long' | 'unreadable';
type ImportOutcome = 'imported' | 'duplicate' | ImportRefusal;

/** Shows a reader where the mail came from. */
const IMPORTED = 'imported, not verified here';
/** The author of mail without a From address, such as drafts. */
const UNKNOWN_AUTHOR = parseAddress('unknown@invalid') as Address;

interface Readable extends CopyOf {
  mail: ImportedMail;
  author: NamedAddress;
  /** Equal for two copies of one mail. */
  key: string;
}

interface WantedMail {
  readable: Readable;
  /** The last row that was compared and is no copy. */
  last: number;
}

/** Each further look-up follows a copy that another process filed within milliseconds. */
const MAX_LOOKS = 100;

const authorOf = ({ author, from }: ImportedMail): NamedAddress =>
  author ?? from[0] ?? { name: null, address: UNKNOWN_AUTHOR };

const toReadable = (mail: ImportedMail, at: Millis): Readable => {
  const author = authorOf(mail);
  const { messageId: rfcMessageId, subject, digest } = mail;
  const key = `${rfcMessageId ?? ''} ${Buffer.from(digest).toString('hex')}`;
  return { mail, author, from: author.address, rfcMessageId, subject, at, key };
};

export const createImport = ({ store, clock, newId, readImported }: ImportNeeds) => {
  const attempt = (raw: Uint8Array, headerOnly: boolean): Promise<ImportedMail | null> =>
    readImported({ kind: 'import', raw, headerOnly }).catch(() => null);

  const read = async ({ raw, at }: MailToImport): Promise<Readable | ImportRefusal> => {
    const mail = (await attempt(raw, false)) ?? (await attempt(raw, true));
    if (!mail) return 'unreadable';
    if (!mail.isMail) return 'not_a_mail';
    // The header is cut here: another program could read the fields behind the limit.
    return mail.isCut ? 'header_too_long' : toReadable(mail, Math.min(at, clock.now()));
  };

  const isCopy = async ({ rawId }: PossibleCopy, { mail }: Readable): Promise<boolean> => {
    const stored = await findRawMessage(store.read, rawId);
    return stored !== null && contentDigest(decompress(stored.mime)).equals(mail.digest);
  };

  /** Outside of a transaction, as copies are compared by their bytes. @returns the last row looked at; null: it is there */
  const findLastOther = async (mailboxId: MailboxId, wanted: Readable): Promise<number | null> => {
    const copies = await listPossibleCopies(store.read, mailboxId, wanted, 0);
    for (const copy of copies) if (await isCopy(copy, wanted)) return null;
    // With so many possible copies none is compared.
    if (copies.length === MOST_POSSIBLE_COPIES) return Number.MAX_SAFE_INTEGER;
    return copies.reduce((last, { seq }) => Math.max(last, seq), 0);
  };

  const file = async (tx: Tx, { mailboxId, addresses, unread }: ImportPlace, { mail, author, at }: Readable) => {
    const isOut = addresses.includes(addressKey(author.address));
    const correspondent = (isOut ? mail.to[0] : undefined) ?? author;
    const known = await findThreadFor(tx.db, mailboxId, mail, correspondent.address, at);
    const fromDomain = mail.author && domainOf(mail.author.address);
    const none = { spf: 'none', dkim: 'none', dmarc: 'none', arc: 'none', from_domain: fromDomain, aligned: false };
    const message = {
      id: newId<'message'>(),
      mailboxId,
      thread: { known, orNew: newId<'thread'>() },
      direction: isOut ? ('out' as const) : ('in' as const),
      from: author,
      ...messageFields(mail),
      spamVerdict: isOut ? null : ('UNKNOWN' as const),
      authentication: isOut ? null : none,
      // Also mail in the mailbox's own name: anyone may have written it, and it must not make a thread authenticated.
      doubtful: true,
      automatic: mail.automatic,
      defects: truncateDefects([IMPORTED, ...mail.defects]),
      rawId: await insertRawMessage(tx, { mime: mail.mime, size: mail.size }),
      at,
      unread: unread && !isOut,
    };
    await fileMessage(tx, message, clock.now());
    if (!isOut) await insertUnauthenticatedSenders(tx, mailboxId, mail, author);
  };

  /** Files the mails that are not there; false where another process filed a possible copy since the look-up. */
  const fileNew = (place: ImportPlace, wanted: readonly WantedMail[]): Promise<boolean> =>
    store.write(async (tx) => {
      for (const { readable, last } of wanted) {
        if ((await listPossibleCopies(tx.db, place.mailboxId, readable, last)).length > 0) return false;
      }
      for (const { readable } of wanted) await file(tx, place, readable);
      return true;
    });

  const look = async (mailboxId: MailboxId, found: readonly (Readable | ImportRefusal)[]) => {
    const outcomes: ImportOutcome[] = [];
    const wanted: WantedMail[] = [];
    for (const each of found) {
      if (typeof each === 'string') {
        outcomes.push(each);
        continue;
      }
      const isRepeated = wanted.some(({ readable }) => readable.key === each.key);
      const last = isRepeated ? null : await findLastOther(mailboxId, each);
      outcomes.push(last === null ? 'duplicate' : 'imported');
      if (last !== null) wanted.push({ readable: each, last });
    }
    return { outcomes, wanted };
  };

  /** @returns the result of each mail, all in one transaction */
  return async (place: ImportPlace, mails: readonly MailToImport[]): Promise<ImportOutcome[]> => {
    const found = await Promise.all(mails.map(read));
    for (let looks = 1; looks <= MAX_LOOKS; looks += 1) {
      const { outcomes, wanted } = await look(place.mailboxId, found);
      if (wanted.length === 0 || (await fileNew(place, wanted))) return outcomes;
    }
    throw new Error('Another import into this mailbox has the same mail at the same time.');
  };
};
