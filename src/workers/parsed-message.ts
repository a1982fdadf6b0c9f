/** Assembles the stored form of a mail from its parsed fields and its authentication results. */

import { asBuffer } from '../kernel/text/octets.ts';
import type { Authentication } from '../mail/auth/authenticate-message.ts';
import { baseSubject, isReplySubject } from '../mail/compose/reply-fields.ts';
import type { MailReport } from '../mail/dsn/mail-report.ts';
import type { MailHead, ReadMessage } from '../mail/header/message-header.ts';
import { receivedHeader, returnPathHeader, stripForgedResults } from '../mail/header/trace-fields.ts';
import { HEADER_ONLY, truncateDefects } from '../mail/mime/defects.ts';
import { type ParsedAttachment, summarizeAttachments } from '../mail/mime/parse-message.ts';
import { toSnippet } from '../mail/text/snippet.ts';
import { toStoredMail } from './compression.ts';
import { MAX_TEXT_CHARS } from './limits.ts';
import type { Envelope, Input, LocalEnvelope, VerifiedMessage } from './tasks.ts';

/** The bytes to verify: without Authentication-Results fields forged in this instance's name (RFC 8601 section 5). */
export const bytesToVerify = ({ raw, hostname }: Pick<Input<'verify'>, 'raw' | 'hostname'>): Buffer =>
  stripForgedResults(asBuffer(raw), hostname);

const composeTrace = (envelope: Envelope | LocalEnvelope, hostname: string, authentication: Authentication): Buffer => {
  const received =
    envelope.kind === 'smtp'
      ? receivedHeader({
          helo: envelope.helo,
          ip: envelope.ip,
          iprevName: envelope.iprevName,
          by: hostname,
          protocol: envelope.protocol,
          tls: envelope.tls,
          id: envelope.sessionId,
          recipient: envelope.soleRecipient,
          at: envelope.at,
        })
      : '';
  return Buffer.from(`${returnPathHeader(envelope.mailFrom)}${authentication.header}${received}`);
};

export interface ParsedMessage extends MailHead {
  text: string;
  attachments: ParsedAttachment[];
  report: MailReport | null;
}

/**
 * For a mail with a body that crashes or outlasts the parser; authentication hashes the body, but does not parse it.
 */
export const toHeaderOnly = ({ head }: ReadMessage): ParsedMessage => ({
  ...head,
  text: '',
  attachments: [],
  report: null,
  defects: [HEADER_ONLY, ...head.defects],
});

/** The fields and the text of a mail in their stored form. */
export const toStoredFields = (
  mail: ParsedMessage,
): Omit<VerifiedMessage, 'authentication' | 'mime' | 'size' | 'packedText'> => {
  const text = mail.text.slice(0, MAX_TEXT_CHARS);
  return {
    author: mail.author,
    from: mail.from,
    to: mail.to,
    cc: mail.cc,
    replyTo: mail.replyTo,
    subject: mail.subject,
    baseSubject: baseSubject(mail.subject),
    isReplySubject: isReplySubject(mail.subject),
    messageId: mail.messageId,
    inReplyTo: mail.inReplyTo,
    references: mail.references,
    automatic: mail.automatic,
    autoSubmitted: mail.autoSubmitted,
    text,
    snippet: toSnippet(text),
    attachments: summarizeAttachments(mail.attachments),
    report: mail.report,
    receivedCount: mail.receivedCount,
    isCut: mail.isCut,
    defects: truncateDefects(mail.defects),
  };
};

/** @param bytes those of {@link bytesToVerify} */
export const toVerifiedMessage = (
  { hostname, envelope }: Pick<Input<'verify'>, 'hostname' | 'envelope'>,
  bytes: Buffer,
  mail: ParsedMessage,
  authentication: Authentication,
): VerifiedMessage => {
  const trace = composeTrace(envelope, hostname, authentication);
  const whole = Buffer.concat([trace, bytes]);
  const fields = toStoredFields(mail);
  return { ...fields, authentication, ...toStoredMail(whole, fields.text) };
};
