/**
 * What a mail to a return path says of the mail that was sent: a delivery status notification (RFC 3464, RFC 6533), a
 * feedback report (RFC 5965), or one of the forms that were in use before them and still are. Never throws.
 */

import type { ParsedMail } from '../mime/parse-message.ts';
import { readBounceHeuristics } from './bounce-heuristics.ts';
import { readDeliveryStatus } from './delivery-status.ts';
import type { MailReport, ReportedRecipient } from './mail-report.ts';
import { readProviderNotification } from './provider-notification.ts';

const DELIVERY_STATUS = /^message\/(?:global-)?delivery-status$/;
const FEEDBACK_REPORT = 'message/feedback-report';
const FEEDBACK_TYPE = /^feedback-type[ \t]*:[ \t]*([\w-]{1,40})/im;
/** A report is its first few lines; the parts of one may be as long as its sender likes. */
const MAX_FIELDS_OCTETS = 64 * 1024;

const contentOf = (mail: Pick<ParsedMail, 'attachments'>, isWanted: (type: string) => boolean): string | null => {
  const part = mail.attachments.find(({ contentType }) => isWanted(contentType));
  return part ? part.content.toString('utf8', 0, MAX_FIELDS_OCTETS) : null;
};

/** @returns null where the mail is no report */
export const parseReport = (mail: ParsedMail): MailReport | null => {
  const feedback = contentOf(mail, (type) => type === FEEDBACK_REPORT);
  if (feedback !== null) {
    return { kind: 'feedback', feedbackType: FEEDBACK_TYPE.exec(feedback)?.[1]?.toLowerCase() ?? 'abuse' };
  }
  const status = contentOf(mail, (type) => DELIVERY_STATUS.test(type));
  const told = status === null ? [] : readDeliveryStatus(status);
  if (told.length > 0) return { kind: 'delivery', recipients: withText(told, mail) };
  const said = readBounceHeuristics(mail, false);
  return said.length > 0 ? { kind: 'delivery', recipients: said } : readProviderNotification(mail);
};

/** Some hosts put what the other host said, or which address failed by another, into the text for people alone. */
const withText = (told: ReportedRecipient[], mail: ParsedMail): ReportedRecipient[] => {
  const said = readBounceHeuristics(mail, true);
  return told.map((recipient) => withDiagnostic(withOriginal(recipient, said), said));
};

const withOriginal = (recipient: ReportedRecipient, said: readonly ReportedRecipient[]): ReportedRecipient => {
  const [final] = recipient.addresses;
  const same = said.find(({ addresses }) => addresses.length > 1 && addresses[0] === final);
  return same ? { ...recipient, addresses: [...new Set([...recipient.addresses, ...same.addresses])] } : recipient;
};

const withDiagnostic = (recipient: ReportedRecipient, said: readonly ReportedRecipient[]): ReportedRecipient => {
  if (recipient.diagnostic !== '') return recipient;
  const same =
    said.find(({ addresses }) => addresses.some((address) => recipient.addresses.includes(address))) ?? said[0];
  if (!same) return recipient;
  const { code, diagnostic } = same;
  const isVague = recipient.enhancedCode === null || /\.0\.0$/.test(recipient.enhancedCode);
  return {
    ...recipient,
    code,
    diagnostic,
    enhancedCode: (isVague ? same.enhancedCode : null) ?? recipient.enhancedCode,
  };
};
