/**
 * Parses a bounce or complaint about a sent mail: a DSN (RFC 3464, RFC 6533), an ARF report (RFC 5965), a provider
 * notification or a free-text bounce. Never throws.
 */

import type { ParsedMail } from '../mime/parse-message.ts';
import { readBounceHeuristics } from './bounce-heuristics.ts';
import { readDeliveryStatus } from './delivery-status.ts';
import type { MailReport, ReportedRecipient } from './mail-report.ts';
import { readProviderNotification } from './provider-notification.ts';

const DELIVERY_STATUS = /^message\/(?:global-)?delivery-status$/;
const FEEDBACK_REPORT = 'message/feedback-report';
const FEEDBACK_TYPE = /^feedback-type[ \t]*:[ \t]*([\w-]{1,40})/im;
/** Octets of a report part that are parsed; its fields come first, and its sender determines its length. */
const MAX_FIELDS_OCTETS = 64 * 1024;

const readContent = (mail: Pick<ParsedMail, 'attachments'>, matches: (type: string) => boolean): string | null => {
  const part = mail.attachments.find(({ contentType }) => matches(contentType));
  return part ? part.content.toString('utf8', 0, MAX_FIELDS_OCTETS) : null;
};

/** @returns null where the mail is no report */
export const parseReport = (mail: ParsedMail): MailReport | null => {
  const feedback = readContent(mail, (type) => type === FEEDBACK_REPORT);
  if (feedback !== null) {
    return { kind: 'feedback', feedbackType: FEEDBACK_TYPE.exec(feedback)?.[1]?.toLowerCase() ?? 'abuse' };
  }
  const status = readContent(mail, (type) => DELIVERY_STATUS.test(type));
  const recipients = status === null ? [] : readDeliveryStatus(status);
  if (recipients.length > 0) return { kind: 'delivery', recipients: addFromText(recipients, mail) };
  const fromText = readBounceHeuristics(mail, false);
  return fromText.length > 0 ? { kind: 'delivery', recipients: fromText } : readProviderNotification(mail);
};

/**
 * Adds what some hosts put into the human-readable text only: the remote's reply, or the address that expanded to the
 * failed one.
 */
const addFromText = (recipients: ReportedRecipient[], mail: ParsedMail): ReportedRecipient[] => {
  const fromText = readBounceHeuristics(mail, true);
  return recipients.map((recipient) => addDiagnostic(addOriginal(recipient, fromText), fromText));
};

const isSame = (recipient: ReportedRecipient, addresses: readonly string[]): boolean =>
  addresses.some((address) => recipient.addresses.includes(address));

const addOriginal = (recipient: ReportedRecipient, fromText: readonly ReportedRecipient[]): ReportedRecipient => {
  const same = fromText.find(({ addresses }) => addresses.length > 1 && isSame(recipient, addresses));
  return same ? { ...recipient, addresses: [...new Set([...same.addresses, ...recipient.addresses])] } : recipient;
};

const addDiagnostic = (recipient: ReportedRecipient, fromText: readonly ReportedRecipient[]): ReportedRecipient => {
  if (recipient.diagnostic !== '') return recipient;
  const same = fromText.find(({ addresses }) => isSame(recipient, addresses)) ?? fromText[0];
  if (!same) return recipient;
  const { code, diagnostic } = same;
  const isVague = recipient.enhancedCode === null || /\.0\.0$/.test(recipient.enhancedCode);
  return {
    ...recipient,
    code: recipient.code ?? code,
    diagnostic,
    enhancedCode: (isVague ? same.enhancedCode : null) ?? recipient.enhancedCode,
  };
};
