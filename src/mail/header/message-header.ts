/** What a message's header says: who wrote to whom, about what, and in answer to what. Never throws. */

import type { NamedAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { readAddressList } from './address-list.ts';
import { decodeWords, oneLine } from './encoded-words.ts';
import { type HeaderField, type HeaderLimits, readFields, splitMessage } from './header-section.ts';
import { readMessageId, readReferences } from './message-ids.ts';

export interface MailHead {
  /** Every address of every From field. */
  from: NamedAddress[];
  /** The one author, who is shown and who is judged; null where the From says nobody, or more than one. */
  author: NamedAddress | null;
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
  /** Sent by a machine in answer to something or on its own: an Auto-Submitted field other than `no` (RFC 3834 section 5). */
  autoSubmitted: boolean;
  /** In order, unfolded and decoded. */
  headers: { name: string; value: string }[];
  receivedCount: number;
  /** Whether fields lie beyond the limits: what they say is in nothing of the above. */
  isCut: boolean;
  /** What the standard has otherwise, each once. */
  defects: string[];
}

export interface HeadLimits extends HeaderLimits {
  /** Characters of one header's value in `headers`. */
  readonly headerValueChars: number;
}

/** What is read of a header. A mail that has more is refused (inbound/receive.ts, transports/submission). */
export const HEAD_LIMITS: HeadLimits = {
  // Real mail stays under 64 KiB; the rest is room for long recipient lists.
  headerBytes: 256 * 1024,
  // Real mail has up to 200, of which most are trace fields.
  headerFields: 1000,
  headerValueChars: 16 * 1024,
};

const MAX_SUBJECT = 998;

/** A date of RFC 5322 section 3.3, its obsolete forms included; null outside of what a year of four digits can say. */
const readDate = (value: string): Millis | null => {
  const at = Date.parse(value.slice(0, 100));
  return Number.isFinite(at) && at >= 0 && at < 253_402_300_800_000 ? at : null;
};

const isAutoSubmitted = (fields: HeaderField[]): boolean =>
  fields.some(({ key, value }) => key === 'auto-submitted' && !/^no\b/i.test(value));

/** The signs of RFC 3834 section 2 and of RFC 2919 and 2369 that no person pressed "send" for this copy. */
const isAutomatic = (fields: HeaderField[]): boolean =>
  isAutoSubmitted(fields) ||
  fields.some(({ key, value }) => {
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
 * The author of a mail: of exactly one From field the one address, with nothing beside it that could be another's
 * (RFC 5322 section 3.6.2 allows several, RFC 9989 section 11.5 none but one).
 */
export const soleAuthor = (fields: readonly HeaderField[]): NamedAddress | null => {
  const [from, ...more] = fields.filter(({ key }) => key === 'from');
  if (!from || more.length > 0) return null;
  const { addresses, malformed } = readAddressList(from.value);
  return (!malformed && addresses.length === 1 && addresses[0]) || null;
};

/**
 * Reads a header section.
 * @returns its fields too, as the body is read by them
 * @see RFC 5322, RFC 2047
 */
const readHead = (header: Buffer, limits: HeadLimits): { head: MailHead; fields: HeaderField[] } => {
  const { fields, isCut, defects } = readFields(header, limits);
  const fromFields = fields.filter((field) => field.key === 'from').length;
  const dateText = lastOf(fields, 'date');
  const date = readDate(dateText);
  if (dateText !== '' && date === null) defects.push('malformed Date');
  if (fromFields !== 1) defects.push(fromFields === 0 ? 'no From' : 'more than one From');
  const head = {
    from: addressesOf(fields, 'from', defects),
    author: soleAuthor(fields),
    to: addressesOf(fields, 'to', defects),
    cc: addressesOf(fields, 'cc', defects),
    replyTo: addressesOf(fields, 'reply-to', defects),
    subject: oneLine(decodeWords(lastOf(fields, 'subject')), MAX_SUBJECT),
    messageId: readMessageId(lastOf(fields, 'message-id')),
    inReplyTo: readReferences(lastOf(fields, 'in-reply-to'))[0] ?? null,
    references: readReferences(lastOf(fields, 'references')),
    date,
    automatic: isAutomatic(fields),
    autoSubmitted: isAutoSubmitted(fields),
    headers: fields.map(({ name, value }) => ({ name, value: oneLine(decodeWords(value), limits.headerValueChars) })),
    receivedCount: fields.filter((field) => field.key === 'received').length,
    isCut,
  };
  return { head: { ...head, defects: [...new Set(defects)] }, fields };
};

/** A message parted in two, its header read: what judges it and what shows it both go by this one reading. */
export interface ReadMessage {
  /** The header section. */
  header: Buffer;
  body: Buffer;
  head: MailHead;
  fields: HeaderField[];
}

/** @param raw the bytes as received, CRLF or LF */
export const readMessage = (raw: Buffer, limits: HeadLimits = HEAD_LIMITS): ReadMessage => {
  const { header, body } = splitMessage(raw);
  return { header, body, ...readHead(header, limits) };
};
