/** Composes the bytes of a message: 7-bit text parts, CRLF, and no header injection through values. */

import MailComposer from 'nodemailer/lib/mail-composer';
import type { NamedAddress } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { formatMediaType, parseMediaType } from '../../kernel/media-type.ts';
import { asBuffer, withSmtpLineEnds } from '../../kernel/text/octets.ts';
import { formatMailboxes } from '../header/ascii-field.ts';
import { encodeWords, looksEncoded, oneLine } from '../header/encoded-words.ts';
import { withoutFields } from '../header/trace-fields.ts';
import { nameAttachments } from '../mime/attachment-names.ts';
import { renderMarkdown } from './render-markdown.ts';
import { writeMime } from './write-mime.ts';

export interface DraftAttachment {
  filename: string;
  /** With its parameters. */
  contentType: string;
  /** The Content-ID that `cid:` links of the HTML part refer to, without angle brackets. */
  contentId?: string | null;
  /** No Buffer: one that is posted to a thread arrives as plain octets, and `toString` writes those as numbers. */
  content: Uint8Array;
}

export interface Draft {
  from: NamedAddress;
  to: NamedAddress[];
  cc: NamedAddress[];
  /** Reply-To; without it replies go to the author. */
  replyTo?: NamedAddress[];
  subject: string;
  /** Markdown or plain text: the text part unchanged, the HTML part rendered from it. */
  body: string;
  /** Replaces the rendered HTML part; null for none. */
  html?: string | null;
  date: Millis;
  /** With its angle brackets. */
  messageId: string;
  inReplyTo?: string | null;
  references?: string[];
  /** Messages and reports on them are attached unencoded (RFC 2045 section 6.4). */
  attachments: DraftAttachment[];
  /** Further fields, such as Auto-Submitted. */
  headers?: { name: string; value: string }[];
}

const MAX_SUBJECT = 998;
const MAX_NAME = 256;
const MAX_HEADER_VALUE = 8000;

const MESSAGE_ID = /^<[^<>\s\p{Cc}]+>$/u;
const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]{1,76}$/;
const ASCII = /^[\x20-\x7e]*$/;
/** Fields that a draft sets through members of its own, or that determine the parsing of the bytes. */
const OWN_FIELD =
  /^(?:from|sender|reply-to|to|cc|bcc|subject|date|message-id|in-reply-to|references|mime-version|content-.*)$/i;

/** Adds the image: when a program loads it, the mail counts as opened. */
export const withPixel = (html: string, url: string): string =>
  `${html}\n<img src="${url}" width="1" height="1" alt="">`;

/** Characters that end an address between angle brackets, in fields and in MAIL and RCPT. */
const UNSENDABLE = /[<>\p{Cc}]/u;

const mailbox = ({ name, address }: NamedAddress): { name: string; address: string } => {
  if (UNSENDABLE.test(address)) {
    throw new ApiError('invalid_email', { hint: `No mail can be sent to \`${address}\`: it has an angle bracket.` });
  }
  return { name: oneLine(name ?? '', MAX_NAME), address };
};

const isMessageId = (id: string): boolean => MESSAGE_ID.test(id) && ASCII.test(id);

const messageId = (id: string): string => {
  if (!isMessageId(id)) throw new TypeError('Not a message identifier');
  return id;
};

/** Chooses the shorter encoding: base64 where more than a third of the octets would take three characters each. */
const chooseEncoding = (text: string): 'quoted-printable' | 'base64' => {
  const octets = Buffer.byteLength(text);
  let ascii = 0;
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) < 0x80) ascii += 1;
  return (octets - ascii) * 3 > octets ? 'base64' : 'quoted-printable';
};

const lines = (text: string): string => text.replaceAll('\0', '').replace(/\r\n?|\n/g, '\r\n');

const textPart = (contentType: string, text: string) => ({
  contentType: `${contentType}; charset=utf-8`,
  content: Buffer.from(lines(text)),
  contentTransferEncoding: chooseEncoding(text),
});

const UNKNOWN_TYPE = { type: 'application/octet-stream', parameters: [] };

/** File names that are a Content-ID as they stand. */
const PLAIN_NAME = /^[\w.+-]+$/;

/**
 * An image is placed inline (RFC 2387) where the HTML part has a `cid:` address with its Content-ID or its file name. Any
 * other file is an attachment.
 */
const toPlacement = (contentId: string | null | undefined, filename: string, html: string) => {
  const isNamed = PLAIN_NAME.test(filename) && html.includes(`"cid:${filename}"`);
  const isShown = contentId && [contentId, encodeURIComponent(contentId)].some((id) => html.includes(`cid:${id}`));
  const cid = isShown ? contentId : isNamed && filename;
  if (cid) return { contentDisposition: 'inline' as const, cid };
  const headers = contentId ? { headers: { 'Content-ID': `<${contentId}>` } } : {};
  return { contentDisposition: 'attachment' as const, ...headers };
};

/** With the line ends that it is sent with, which the signature covers. */
const enclosedLines = (octets: Buffer): Buffer => Buffer.from(withSmtpLineEnds(octets.toString('latin1')), 'latin1');

/** Programs read their fields without decoding. Reports with other octets than ASCII are encoded later, all the same. */
const UNENCODED = new Set([
  'message/rfc822',
  'message/delivery-status',
  'message/disposition-notification',
  'message/feedback-report',
]);

const attachmentPart = ({ contentType, contentId, content }: DraftAttachment, filename: string, html: string) => {
  const declared = parseMediaType(contentType);
  // Programs would open the octets of a multipart as further parts.
  const mediaType = declared === null || declared.type.startsWith('multipart/') ? UNKNOWN_TYPE : declared;
  const isUnencoded = UNENCODED.has(mediaType.type);
  const octets = asBuffer(content);
  const part = {
    filename,
    contentType: formatMediaType(mediaType),
    ...toPlacement(contentId, filename, html),
    content: isUnencoded ? enclosedLines(octets) : octets,
  };
  // nodemailer chooses 7bit or 8bit by content.
  return isUnencoded ? part : { ...part, contentTransferEncoding: 'base64' };
};

/** Whether a draft may have the field beside those of its members. */
export const canAddField = (name: string): boolean => FIELD_NAME.test(name) && !OWN_FIELD.test(name);

const headerField = ({ name, value }: { name: string; value: string }): { key: string; value: string } => {
  if (!canAddField(name)) throw new TypeError(`Not a field to add: ${name.slice(0, 40)}`);
  return { key: name, value: oneLine(value, MAX_HEADER_VALUE) };
};

/** The library quotes a name that is written as an encoded word, and programs decode it nevertheless. */
const withLiteralNames = (bytes: Buffer, { from, to, cc, replyTo = [] }: Draft): Buffer => {
  const fields = Object.entries({ From: [from], To: to, Cc: cc, 'Reply-To': replyTo }).filter(([, mailboxes]) =>
    mailboxes.some(({ name }) => name !== null && looksEncoded(name)),
  );
  if (fields.length === 0) return bytes;
  const names = fields.map(([name]) => name.toLowerCase());
  const written = fields.map(([name, mailboxes]) => formatMailboxes(name, mailboxes.map(mailbox)));
  return Buffer.concat([Buffer.from(written.join('')), withoutFields(bytes, names)]);
};

/**
 * Composes a message.
 * @returns its bytes, to be signed and sent unchanged; without Bcc and X-Mailer
 * @throws ApiError `invalid_email` for an address that no SMTP command can hold; TypeError for a malformed message id
 *   or field name
 * @see RFC 5322, RFC 2047 (subject and names), RFC 2231 (file names), RFC 6532 (non-ASCII addresses)
 */
export const compose = async (draft: Draft): Promise<Buffer> => {
  const body = draft.body === '' ? '\n' : draft.body;
  const html = draft.html === undefined ? renderMarkdown(draft.body) : draft.html;
  const filenames = nameAttachments(draft.attachments);
  const references = (draft.references ?? []).filter(isMessageId);
  const subject = oneLine(draft.subject, MAX_SUBJECT);
  const mail = new MailComposer({
    from: mailbox(draft.from),
    to: draft.to.map(mailbox),
    cc: draft.cc.map(mailbox),
    replyTo: draft.replyTo?.map(mailbox),
    subject: looksEncoded(subject) ? encodeWords(subject) : subject,
    date: new Date(draft.date),
    messageId: messageId(draft.messageId),
    inReplyTo: draft.inReplyTo && isMessageId(draft.inReplyTo) ? draft.inReplyTo : undefined,
    references: references.length > 0 ? references : undefined,
    headers: (draft.headers ?? []).map(headerField),
    alternatives: [textPart('text/plain', body), ...(html === null ? [] : [textPart('text/html', html)])],
    attachments: draft.attachments.map((each, index) => attachmentPart(each, filenames[index] ?? '', html ?? '')),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return withLiteralNames(writeMime(mail.compile()), draft);
};
