/** Makes the bytes of a submitted mail: as given, or composed anew. */

import { asBuffer } from '../../kernel/text/octets.ts';
import { rebuildMail } from '../../mail/compose/rebuild-mail.ts';
import { readMessage } from '../../mail/header/message-header.ts';
import { mailDate, withoutFields } from '../../mail/header/trace-fields.ts';
import { convert8bitTo7bit } from '../../mail/mime/convert-8bit.ts';
import { parseMail, summarizeAttachments } from '../../mail/mime/parse-message.ts';
import { toSnippet } from '../../mail/text/snippet.ts';
import { toStoredMail } from '../compression.ts';
import { findLeaks } from '../find-leak.ts';
import { MAX_TEXT_CHARS } from '../limits.ts';
import type { Input, PreparedRaw } from '../tasks.ts';
import { hashBody } from './hash-body.ts';
import { mailPieces } from './searched-pieces.ts';

/**
 * Header fields removed from submitted mail: Bcc and Resent-Bcc (RFC 5322 sections 3.6.3 and 3.6.6), the envelope's
 * Return-Path, authentication results, which only the verifying host may add (RFC 8601 section 5), and a program's own DKIM
 * signature: this instance signs for the domain, and Amazon SES refuses a second one.
 */
const NOT_SUBMITTED = ['bcc', 'resent-bcc', 'return-path', 'authentication-results', 'dkim-signature'];

/**
 * Submission adds Date and Message-ID where they are missing (RFC 6409 section 8). One that has no such value is replaced:
 * hosts refuse mail with two of them (RFC 5322 section 3.6).
 */
const withMissingFields = async ({ raw, messageId, date }: Input<'prepare-raw'>): Promise<Buffer> => {
  const kept = withoutFields(asBuffer(raw), NOT_SUBMITTED);
  const bytes = convert8bitTo7bit(kept);
  const { head } = readMessage(bytes);
  const missing = [
    ...(head.date === null ? [{ name: 'date', field: `Date: ${mailDate(date)}\r\n` }] : []),
    ...(head.messageId === null ? [{ name: 'message-id', field: `Message-ID: ${messageId}\r\n` }] : []),
  ];
  const names = missing.map(({ name }) => name);
  return Buffer.concat([Buffer.from(missing.map(({ field }) => field).join('')), withoutFields(bytes, names)]);
};

export const prepareRaw = async (task: Input<'prepare-raw'>): Promise<PreparedRaw> => {
  const given = await withMissingFields(task);
  const rebuilt = task.isRebuilt ? await rebuildMail(given) : null;
  const bytes = rebuilt?.raw ?? given;
  const sent = await parseMail(bytes);
  const text = (rebuilt?.text ?? sent.text).slice(0, MAX_TEXT_CHARS);
  const htmlText = rebuilt ? rebuilt.htmlText : sent.otherText.trim() === '' ? null : sent.otherText;
  return {
    ...toStoredMail(bytes, text),
    subject: sent.subject,
    snippet: toSnippet(text),
    text,
    htmlText,
    bodyHash: hashBody({ text, htmlText }),
    htmlChanged: rebuilt?.htmlChanged ?? [],
    isWhole: rebuilt?.isWhole === true && rebuilt.text.length <= MAX_TEXT_CHARS,
    attachments: summarizeAttachments(sent.attachments),
    messageId: sent.messageId ?? task.messageId,
    inReplyTo: sent.inReplyTo,
    references: sent.references,
    from: sent.from,
    to: sent.to,
    cc: sent.cc,
    replyTo: sent.replyTo,
    automatic: sent.automatic,
    secretsFound: await findLeaks(task.leakIndex, mailPieces({ sent, bytes, recipients: task.bcc })),
  };
};
