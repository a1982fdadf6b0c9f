/** What a message's header says: who wrote to whom, about what, and in answer to what. Never throws. */

import type { NamedAddress } from '../kernel/address.ts';
import type { Millis } from '../kernel/clock.ts';
import { readAddressList } from './address-list.ts';
import { decodeWords, oneLine } from './encoded-words.ts';
import { type HeaderField, type HeaderLimits, readFields } from './header-section.ts';
import { readMessageId, readReferences } from './message-ids.ts';

export interface MailHead {
  /** Every address of every From field. */
  from: NamedAddress[];
  /** How many From fields there are; RFC 5322 section 3.6 wants one. */
  fromFields: number;
  to: NamedAddress[];
  cc: NamedAddress[];
  replyTo: NamedAddress[];
  /** Decoded, one line, at most 998 characters. */
  subject: string;
  /** With its angle brackets. */
  messageId: string | null;
  inReplyTo: string | null;
  /** The last 50, oldest first. */
  references: string[];
  date: Millis | null;
  /** Sent by a machine or through a list (RFC 3834 section 2); the null sender is the caller's to add. */
  automatic: boolean;
  /** In order, unfolded and decoded. */
  headers: { name: string; value: string }[];
  receivedCount: number;
  /** What the standard has otherwise, each once. */
  defects: string[];
}

export interface HeadLimits extends HeaderLimits {
  /** Characters of one header's value in `headers`. */
  readonly headerValueChars: number;
}

const MAX_SUBJECT = 998;

/** A date of RFC 5322 section 3.3, its obsolete forms included; null outside of what a year of four digits can say. */
const readDate = (value: string): Millis | null => {
  const at = Date.parse(value.slice(0, 100));
  return Number.isFinite(at) && at >= 0 && at < 253_402_300_800_000 ? at : null;
};

/** The signs of RFC 3834 section 2 and of RFC 2919 and 2369 that no person pressed "send" for this copy. */
const isAutomatic = (fields: HeaderField[]): boolean =>
  fields.some(({ key, value }) => {
    if (key === 'auto-submitted') return !/^no\b/i.test(value);
    if (key === 'precedence') return /^(bulk|list|junk)\b/i.test(value);
    return key === 'list-id' || key === 'list-unsubscribe';
  });

/** Of a field that may stand once the last one counts: signatures are bound to fields from the bottom up (RFC 6376 section 5.4.2). */
const lastOf = (fields: HeaderField[], key: string): string =>
  fields.findLast((field) => field.key === key)?.value ?? '';

const addressesOf = (fields: HeaderField[], key: string, defects: string[]): NamedAddress[] => {
  const named = fields.filter((field) => field.key === key);
  return named.flatMap(({ name, value }) => {
    const { addresses, malformed } = readAddressList(value);
    if (malformed) defects.push(`malformed address in ${name}`);
    return addresses;
  });
};

/**
 * Reads a header section.
 * @returns its fields too, as the body is read by them
 * @see RFC 5322, RFC 2047
 */
export const readHead = (header: Buffer, limits: HeadLimits): { head: MailHead; fields: HeaderField[] } => {
  const { fields, defects } = readFields(header, limits);
  const fromFields = fields.filter((field) => field.key === 'from').length;
  const dateText = lastOf(fields, 'date');
  const date = readDate(dateText);
  if (dateText !== '' && date === null) defects.push('malformed Date');
  if (fromFields !== 1) defects.push(fromFields === 0 ? 'no From' : 'more than one From');
  const head = {
    from: addressesOf(fields, 'from', defects),
    fromFields,
    to: addressesOf(fields, 'to', defects),
    cc: addressesOf(fields, 'cc', defects),
    replyTo: addressesOf(fields, 'reply-to', defects),
    subject: oneLine(decodeWords(lastOf(fields, 'subject')), MAX_SUBJECT),
    messageId: readMessageId(lastOf(fields, 'message-id')),
    inReplyTo: readReferences(lastOf(fields, 'in-reply-to'))[0] ?? null,
    references: readReferences(lastOf(fields, 'references')),
    date,
    automatic: isAutomatic(fields),
    headers: fields.map(({ name, value }) => ({ name, value: oneLine(decodeWords(value), limits.headerValueChars) })),
    receivedCount: fields.filter((field) => field.key === 'received').length,
  };
  return { head: { ...head, defects: [...new Set(defects)] }, fields };
};
