/** Composes a DSN (RFC 3464) about an undeliverable mail, for the mailbox that sent it. */

import type { Address, NamedAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { encodeWords, looksEncoded } from '../header/encoded-words.ts';
import { foldField } from '../header/fold.ts';
import { mailDate } from '../header/trace-fields.ts';
import { base64Lines } from '../mime/base64.ts';
import { withCrlf } from '../mime/crlf.ts';
import { toSnippet } from '../text/snippet.ts';

export interface DsnInput {
  from: NamedAddress & { name: string };
  to: Address;
  /** Unencoded; encoded as RFC 2047 words where necessary. */
  subject: string;
  date: Millis;
  /** With its angle brackets, as the two that follow. */
  messageId: string;
  inReplyTo: string | null;
  references: readonly string[];
  /** Human-readable explanation: lines of any text. */
  text: string;
  /** Host name of this instance. */
  reportingMta: string;
  arrivedAt: Millis;
  recipient: Address;
  /** Enhanced status code (RFC 3463). */
  status: string;
  /** The host that rejected the mail; null where no connection was made. */
  remoteMta: string | null;
  /** Its reply. */
  diagnostic: string | null;
  lastAttemptAt: Millis;
  /** The header section of the mail; null where it is no longer stored. */
  header: Buffer | null;
}

const ASCII = /^[\x20-\x7e\t\r\n]*$/;
const MAX_DIAGNOSTIC = 500;

/** Reduces text to one line of printable ASCII, as RFC 3464 section 2.1.2 requires; hosts reply with more. */
const plain = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[^\x20-\x7e]/g, '?')
    .trim();

/** Encodes by RFC 2047 where necessary, in words of at most 75 characters. */
const encoded = (text: string): string => {
  if (/^[\x20-\x7e]*$/.test(text) && !looksEncoded(text)) return text;
  return encodeWords(text);
};

const part = (contentType: string, content: string | Buffer, encoding?: string): Buffer[] => [
  Buffer.from(`Content-Type: ${contentType}\r\n${encoding ? `Content-Transfer-Encoding: ${encoding}\r\n` : ''}\r\n`),
  Buffer.from(content),
];

const textPart = (text: string): Buffer[] => {
  if (ASCII.test(text)) return part('text/plain; charset=us-ascii', withCrlf(Buffer.from(text)));
  return part('text/plain; charset=utf-8', base64Lines(withCrlf(Buffer.from(text))), 'base64');
};

const statusPart = (input: DsnInput): Buffer[] => {
  const { reportingMta, arrivedAt, recipient, status, remoteMta, diagnostic, lastAttemptAt } = input;
  // RFC 6533: a recipient with a non-ASCII local part requires a global report.
  const isPlain = ASCII.test(recipient);
  const fields = [
    `Reporting-MTA: dns; ${reportingMta}`,
    `Arrival-Date: ${mailDate(arrivedAt)}`,
    '',
    `Final-Recipient: ${isPlain ? 'rfc822' : 'utf-8'}; ${recipient}`,
    'Action: failed',
    `Status: ${status}`,
    ...(remoteMta === null ? [] : [`Remote-MTA: dns; ${remoteMta}`]),
    ...(diagnostic === null ? [] : [`Diagnostic-Code: smtp; ${plain(diagnostic).slice(0, MAX_DIAGNOSTIC)}`]),
    `Last-Attempt-Date: ${mailDate(lastAttemptAt)}`,
  ];
  const content = fields.map((field) => (field === '' ? '\r\n' : foldField(field))).join('');
  return isPlain ? part('message/delivery-status', content) : part('message/global-delivery-status', content, '8bit');
};

const headerPart = (header: Buffer): Buffer[] => {
  const isSevenBit = header.every((octet) => octet < 0x80);
  return isSevenBit
    ? part('text/rfc822-headers', withCrlf(header))
    : part('message/global-headers', withCrlf(header), '8bit');
};

/**
 * @returns the bytes, with the null return path, which are stored and not sent; and a snippet of the text
 * @see RFC 3464, RFC 6522 (multipart/report), RFC 3834 section 5 (Auto-Submitted)
 */
export const composeDsn = (input: DsnInput): { raw: Buffer; snippet: string } => {
  // Derived from the new message's identifier, which the enclosed content cannot contain.
  const boundary = `report-${input.messageId.replace(/[^A-Za-z0-9]/g, '').slice(0, 60)}`;
  const header = [
    'Return-Path: <>',
    `From: ${encoded(input.from.name)} <${input.from.address}>`,
    `To: ${input.to}`,
    `Subject: ${encoded(input.subject)}`,
    `Date: ${mailDate(input.date)}`,
    `Message-ID: ${input.messageId}`,
    ...(input.inReplyTo === null ? [] : [`In-Reply-To: ${input.inReplyTo}`]),
    ...(input.references.length === 0 ? [] : [`References: ${input.references.join(' ')}`]),
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
  ];
  const parts = [textPart(input.text), statusPart(input), ...(input.header ? [headerPart(input.header)] : [])];
  const raw = Buffer.concat([
    Buffer.from(`${header.map(foldField).join('')}\r\n`),
    ...parts.flatMap((each) => [Buffer.from(`\r\n--${boundary}\r\n`), ...each]),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { raw, snippet: toSnippet(input.text) };
};
