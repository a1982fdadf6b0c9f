/** Makes the bytes of a message: 7-bit text parts, CRLF, and no way for a value to become a field of its own. */

import MarkdownIt from 'markdown-it';
import MailComposer from 'nodemailer/lib/mail-composer';
import { localPartOf, type NamedAddress } from '../kernel/address.ts';
import type { Millis } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { safeFilename } from './attachment-names.ts';
import { withCrlf } from './crlf.ts';
import { oneLine } from './encoded-words.ts';

export interface DraftAttachment {
  filename: string;
  contentType: string;
  content: Buffer;
}

export interface Draft {
  from: NamedAddress;
  to: NamedAddress[];
  cc: NamedAddress[];
  subject: string;
  /** Markdown or plain text: the text part as given, the HTML part rendered from it. */
  body: string;
  /** Where given, the HTML part instead of a rendering. */
  html?: string;
  date: Millis;
  /** With its angle brackets. */
  messageId: string;
  inReplyTo?: string | null;
  references?: string[];
  /** One of type message/rfc822 goes in as it is, never encoded (RFC 2046 section 5.2.1). */
  attachments: DraftAttachment[];
  /** Further fields, such as Auto-Submitted. */
  headers?: { name: string; value: string }[];
}

const MAX_SUBJECT = 998;
const MAX_NAME = 256;
const MAX_HEADER_VALUE = 8000;

const MESSAGE_ID = /^<[^<>\s\p{Cc}]+>$/u;
const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]{1,76}$/;
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;
const ASCII = /^[\x20-\x7e]*$/;
/** Fields that a draft says in members of its own, or that say how the bytes are read. */
const OWN_FIELD = /^(?:from|sender|to|cc|bcc|subject|date|message-id|in-reply-to|references|mime-version|content-.*)$/i;

// html: false escapes raw HTML; markdown-it refuses javascript:, vbscript:, file: and data: links by itself.
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false });

/** Renders Markdown, or plain text whose line ends are kept. Raw HTML in it is shown, not used; nothing is fetched. */
export const renderMarkdown = (body: string): string => markdown.render(body);

const mailbox = ({ name, address }: NamedAddress): { name: string; address: string } => {
  if (!ASCII.test(localPartOf(address))) {
    throw new ApiError('invalid_email', { hint: 'The part before the @ has to be ASCII: SMTPUTF8 is not sent.' });
  }
  return { name: oneLine(name ?? '', MAX_NAME), address };
};

const messageId = (id: string): string => {
  if (!MESSAGE_ID.test(id) || !ASCII.test(id)) throw new TypeError('Not a message identifier');
  return id;
};

/** The shorter of the two encodings: base64 where a third of the octets and more would take three characters each. */
const encodingOf = (text: string): 'quoted-printable' | 'base64' => {
  const octets = Buffer.byteLength(text);
  let ascii = 0;
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) < 0x80) ascii += 1;
  return (octets - ascii) * 3 > octets ? 'base64' : 'quoted-printable';
};

const lines = (text: string): string => text.replaceAll('\0', '').replace(/\r\n?|\n/g, '\r\n');

const textPart = (contentType: string, text: string) => ({
  contentType: `${contentType}; charset=utf-8`,
  content: Buffer.from(lines(text)),
  contentTransferEncoding: encodingOf(text),
});

const attachmentPart = ({ filename, contentType, content }: DraftAttachment) => {
  const type = contentType.trim().toLowerCase();
  const embedded = type === 'message/rfc822';
  const part = {
    filename: safeFilename(filename) || 'attachment',
    contentType: MEDIA_TYPE.test(type) ? type : 'application/octet-stream',
    contentDisposition: 'attachment' as const,
    content: embedded ? withCrlf(content) : content,
  };
  // For a message nodemailer picks 7bit or 8bit by its content; of multiparts it would take "base64" for an error.
  return embedded ? part : { ...part, contentTransferEncoding: 'base64' };
};

const headerField = ({ name, value }: { name: string; value: string }): { key: string; value: string } => {
  if (!FIELD_NAME.test(name) || OWN_FIELD.test(name)) throw new TypeError(`Not a field to add: ${name.slice(0, 40)}`);
  return { key: name, value: oneLine(value, MAX_HEADER_VALUE) };
};

/**
 * Makes a message.
 * @returns its bytes, to be signed and sent as they are; there is no Bcc and no X-Mailer
 * @throws ApiError `invalid_email` for a local part that is not ASCII; TypeError for a malformed message id or field name
 * @see RFC 5322, RFC 2047 (subject and names), RFC 2231 (file names)
 */
export const compose = async (draft: Draft): Promise<Buffer> => {
  const body = draft.body === '' ? '\n' : draft.body;
  const references = (draft.references ?? []).filter((id) => MESSAGE_ID.test(id) && ASCII.test(id));
  const mail = new MailComposer({
    from: mailbox(draft.from),
    to: draft.to.map(mailbox),
    cc: draft.cc.map(mailbox),
    subject: oneLine(draft.subject, MAX_SUBJECT),
    date: new Date(draft.date),
    messageId: messageId(draft.messageId),
    inReplyTo: draft.inReplyTo ? messageId(draft.inReplyTo) : undefined,
    references: references.length > 0 ? references : undefined,
    headers: (draft.headers ?? []).map(headerField),
    alternatives: [textPart('text/plain', body), textPart('text/html', draft.html ?? renderMarkdown(draft.body))],
    attachments: draft.attachments.map(attachmentPart),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return mail.compile().build();
};
