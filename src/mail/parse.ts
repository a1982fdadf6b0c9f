/** Reads a message as a stranger sent it: never throws, never waits, and says in `defects` what it could not read. */

import type { NamedAddress } from '../kernel/address.ts';
import type { Millis } from '../kernel/clock.ts';
import { readAddressList } from './address-list.ts';
import { extensionOf, nameAttachments } from './attachment-names.ts';
import { decodeWords, oneLine } from './encoded-words.ts';
import { type HeaderField, type HeaderLimits, readFields, splitMessage } from './header-section.ts';
import { escapeHtml, htmlToText } from './html.ts';
import { readMessageId, readReferences } from './message-ids.ts';
import { type FilePart, type PartLimits, readParts, type TextPart } from './mime-parts.ts';

export interface ParsedAttachment {
  /** Unique within the message, without a path, never empty. */
  filename: string;
  /** In lower case, without parameters; as the sender declared it. */
  contentType: string;
  /** Octets. */
  size: number;
  /** Without its angle brackets, as `cid:` links name it. */
  contentId: string | null;
  inline: boolean;
  content: Buffer;
}

export interface ParsedMail {
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
  /** Plain text with bare LF; made from the HTML where there is no text part. */
  text: string;
  /** As sent, not sanitised. */
  html: string | null;
  attachments: ParsedAttachment[];
  /** In order, unfolded and decoded. */
  headers: { name: string; value: string }[];
  receivedCount: number;
  defects: string[];
}

export interface ParseLimits extends HeaderLimits, PartLimits {
  /** Characters of `text` and of `html`, each. */
  readonly textChars: number;
  /** Characters of one header's value in `headers`. */
  readonly headerValueChars: number;
}

export const PARSE_LIMITS: ParseLimits = {
  // Real mail stays under 64 KiB; the rest is room for long recipient lists.
  headerBytes: 256 * 1024,
  headerFields: 1000,
  headerValueChars: 16 * 1024,
  // A message with more is taken as text: the splitter gives up all at once.
  parts: 1000,
  partHeaderBytes: 64 * 1024,
  textChars: 4 * 1024 * 1024,
};

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

/** Text parts that stand after others and bear a file's name are files (as RFC 8621 section 4.1.4 has it). */
const partNamedTexts = (texts: TextPart[]): { shown: TextPart[]; named: FilePart[] } => {
  const isFile = (part: TextPart, index: number): boolean =>
    index > 0 && part.filename !== null && part.alternative === null;
  return {
    shown: texts.filter((part, index) => !isFile(part, index)),
    named: texts.filter(isFile).map((part) => ({
      filename: part.filename,
      contentType: part.html ? 'text/html' : 'text/plain',
      contentId: null,
      inline: true,
      content: Buffer.from(part.content),
    })),
  };
};

/** Joins the shown parts into one text and one HTML: of an alternative each takes its reading, of the rest both take all. */
const joinTexts = (parts: TextPart[]): { text: string; html: string | null } => {
  const read = (html: boolean): Set<object | null> =>
    new Set(parts.filter((part) => part.html === html && part.content.trim() !== '').map((part) => part.alternative));
  const withText = read(false);
  const withHtml = read(true);
  const hasOther = (others: Set<object | null>, part: TextPart): boolean =>
    part.alternative !== null && others.has(part.alternative);

  const text = parts
    .filter((part) => !part.html || !hasOther(withText, part))
    .map((part) => (part.html ? htmlToText(part.content) : part.content));
  const html = parts
    .filter((part) => part.html || !hasOther(withHtml, part))
    .map((part) => (part.html ? part.content : `<pre>${escapeHtml(part.content)}</pre>`));
  return { text: text.join('\n'), html: parts.some((part) => part.html) ? html.join('\n') : null };
};

/**
 * Reads one message.
 * @param raw the bytes as received, CRLF or LF
 * @returns what could be read; `defects` names what the standard has otherwise, each once
 * @see RFC 5322, RFC 2045 to 2047, RFC 2231
 */
export const parseMail = async (raw: Buffer, limits: ParseLimits = PARSE_LIMITS): Promise<ParsedMail> => {
  const { header, body } = splitMessage(raw);
  const { fields, defects } = readFields(header, limits);
  const mime = await readParts(fields, body, limits);
  defects.push(...mime.defects);

  const { shown, named } = partNamedTexts(mime.texts);
  const { text, html } = joinTexts(shown);
  if (text.length > limits.textChars || (html?.length ?? 0) > limits.textChars) defects.push('text cut');

  const files = [...mime.files, ...named];
  const filenames = nameAttachments(files);
  const fromFields = fields.filter((field) => field.key === 'from').length;
  const dateText = lastOf(fields, 'date');
  const date = readDate(dateText);
  if (dateText !== '' && date === null) defects.push('malformed Date');
  if (fromFields !== 1) defects.push(fromFields === 0 ? 'no From' : 'more than one From');

  return {
    from: addressesOf(fields, 'from', defects),
    fromFields,
    to: addressesOf(fields, 'to', defects),
    cc: addressesOf(fields, 'cc', defects),
    replyTo: addressesOf(fields, 'reply-to', defects),
    subject: oneLine(decodeWords(lastOf(fields, 'subject')), 998),
    messageId: readMessageId(lastOf(fields, 'message-id')),
    inReplyTo: readReferences(lastOf(fields, 'in-reply-to'))[0] ?? null,
    references: readReferences(lastOf(fields, 'references')),
    date,
    automatic: isAutomatic(fields),
    text: text.slice(0, limits.textChars),
    html: html?.slice(0, limits.textChars) ?? null,
    attachments: files.map(({ contentType, contentId, inline, content }, index) => ({
      filename: filenames[index] ?? `attachment-${index + 1}.${extensionOf(contentType)}`,
      contentType,
      size: content.length,
      contentId,
      inline,
      content,
    })),
    headers: fields.map(({ name, value }) => ({ name, value: oneLine(decodeWords(value), limits.headerValueChars) })),
    receivedCount: fields.filter((field) => field.key === 'received').length,
    defects: [...new Set(defects)],
  };
};
