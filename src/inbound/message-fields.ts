/** The fields that every stored message takes from its mail. */

import type { VerifiedMessage } from '../workers/tasks.ts';

export const messageFields = (mail: Omit<VerifiedMessage, 'authentication'>) => ({
  to: mail.to,
  cc: mail.cc,
  replyTo: mail.replyTo,
  subject: mail.subject,
  baseSubject: mail.baseSubject,
  snippet: mail.snippet,
  body: mail.text,
  packedText: mail.packedText,
  rfcMessageId: mail.messageId,
  inReplyTo: mail.inReplyTo,
  references: mail.references,
  sendClass: null,
  attachments: mail.attachments,
});
