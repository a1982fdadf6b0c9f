/**
 * Composes a submitted mail anew: parsed once, its HTML rewritten, its parts divided as every program reads them, each
 * header field once. A reviewer then sees all that a program can show.
 */

import type { NamedAddress } from '../../kernel/address.ts';
import { readMessage } from '../header/message-header.ts';
import { rewriteHtml } from '../html/outgoing/rewrite-html.ts';
import { convert8bitTo7bit } from '../mime/convert-8bit.ts';
import { MAX_ENCLOSED_DEPTH } from '../mime/enclosed-messages.ts';
import { PARSE_LIMITS, parseMessage } from '../mime/parse-message.ts';
import { TEXT_CUT } from '../mime/text-limit.ts';
import { isSameText } from '../text/same-words.ts';
import { canAddField, compose, withPixel } from './compose-message.ts';
import { renderMarkdown } from './render-markdown.ts';

export interface RebuiltMail {
  raw: Buffer;
  /** The text of the text part. */
  text: string;
  /** The text of the HTML part where it differs. */
  htmlText: string | null;
  htmlChanged: string[];
  /** Whether the mail was parsed whole. */
  isWhole: boolean;
}

/** Trace fields and signatures of what it was before. */
const UNKEPT = /^(?:received|return-path|resent-.*|dkim-signature|domainkey-signature|arc-.*|bcc)$/i;
/** Fields of a mail program: an ordinary mail has some twenty. */
const MAX_FIELDS = 100;

/** A person's changes to a mail. */
export interface MailEdit {
  subject: string;
  /** The text part, as it was or as it is edited. */
  text: string;
  /** Whether the text was edited: then the HTML part is rendered from it, as Markdown. */
  isNewText: boolean;
  /** Addresses that the header no longer names, in lower case. */
  removed: readonly string[];
  /** URL of the open pixel, which rewriting takes out of the HTML; null: none. */
  pixelUrl: string | null;
}

/** @param raw with From, Date and Message-ID */
export const rebuildMail = async (raw: Buffer, edit: MailEdit | null = null): Promise<RebuiltMail> => {
  const read = readMessage(raw, PARSE_LIMITS);
  // An enclosed message stays an attachment; its text does not count as text of the mail.
  const mail = await parseMessage(read, PARSE_LIMITS, MAX_ENCLOSED_DEPTH);
  const [from] = mail.from;
  if (!from || mail.messageId === null || mail.date === null) throw new TypeError('Not a complete header');
  const text = edit?.text ?? mail.text;
  const given = edit?.isNewText && mail.html !== null ? renderMarkdown(text) : mail.html;
  const html = given === null ? null : rewriteHtml(given);
  const pixelUrl = edit?.pixelUrl ?? null;
  const isKept = ({ address }: NamedAddress): boolean => !edit?.removed.includes(address.toLowerCase());
  const { date, messageId, replyTo, inReplyTo, references } = mail;
  const bytes = await compose({
    from,
    replyTo,
    inReplyTo,
    references,
    date,
    messageId,
    to: mail.to.filter(isKept),
    cc: mail.cc.filter(isKept),
    subject: edit?.subject ?? mail.subject,
    body: text,
    html: html && (pixelUrl === null ? html.html : withPixel(html.html, pixelUrl)),
    attachments: mail.attachments.map(({ filename, mediaType, contentId, content }) => ({
      filename,
      contentType: mediaType,
      contentId,
      content,
    })),
    headers: mail.headers.filter(({ name }) => canAddField(name) && !UNKEPT.test(name)).slice(0, MAX_FIELDS),
  });
  return {
    raw: convert8bitTo7bit(bytes),
    text,
    htmlText: html === null || isSameText(text, html.text) ? null : html.text,
    htmlChanged: html?.changed ?? [],
    isWhole: (html?.isWhole ?? true) && !mail.defects.includes(TEXT_CUT),
  };
};
