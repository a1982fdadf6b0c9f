/** Bounces and complaints as Amazon SES tells them by mail (SNS): JSON in the text, which its way may have folded. */

import type { ParsedMail } from '../mime/parse-message.ts';
import { codesIn, reportedAddress } from './delivery-status.ts';
import type { MailReport, ReportedRecipient } from './mail-report.ts';

const KIND = /^\s*\{[\s\S]{0,2000}?"(?:notification|event)Type"\s{0,4}:\s{0,4}"(Bounce|Complaint)"/;
const BOUNCED = /"bouncedRecipients"\s{0,4}:\s{0,4}\[/;
const FEEDBACK_TYPE = /"complaintFeedbackType"\s{0,4}:\s{0,4}"([\w-]{1,40})"/;
const TRANSIENT = /"bounceType"\s{0,4}:\s{0,4}"Transient"/;
const MAX_TEXT_CHARS = 32 * 1024;
const MAX_RECIPIENTS = 50;

/** The value of a string member; '' where it is not there. */
const member = (json: string, name: string): string => {
  const at = json.indexOf(`"${name}"`);
  if (at < 0) return '';
  const value = /^\s{0,4}:\s{0,4}"((?:[^"\\]|\\.)*)"/.exec(json.slice(at + name.length + 2))?.[1] ?? '';
  return value
    .replace(/\\[nrt]/g, ' ')
    .replace(/\\(.)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
};

const recipientOf = (json: string, isTransient: boolean): ReportedRecipient => {
  const diagnostic = member(json, 'diagnosticCode').replace(/^smtp; ?/i, '');
  const { code, enhancedCode } = codesIn(diagnostic);
  const action = isTransient && member(json, 'action') === 'delayed' ? 'delayed' : 'failed';
  const addresses = [reportedAddress(member(json, 'emailAddress'))].filter((address) => address !== '');
  return { addresses, action, code, enhancedCode: enhancedCode ?? (member(json, 'status') || null), diagnostic };
};

/** @returns null where the mail is no such notice, or of a kind that tells of no failure */
export const readProviderNotification = ({ text }: Pick<ParsedMail, 'text'>): MailReport | null => {
  // Within a notification of another service it stands as a string.
  const json = text.slice(0, MAX_TEXT_CHARS).replaceAll('\\"', '"');
  const kind = KIND.exec(json)?.[1];
  if (kind === undefined) return null;
  if (kind === 'Complaint') return { kind: 'feedback', feedbackType: FEEDBACK_TYPE.exec(json)?.[1] ?? 'abuse' };
  const begin = BOUNCED.exec(json);
  if (!begin) return null;
  const entries = json.slice(begin.index + begin[0].length).split('}', MAX_RECIPIENTS);
  const end = entries.findIndex((entry) => entry.trimStart().startsWith(']'));
  const told = entries.slice(0, end < 0 ? entries.length : end).filter((entry) => entry.includes('"emailAddress"'));
  const recipients = told.map((entry) => recipientOf(entry, TRANSIENT.test(json)));
  return recipients.length > 0 ? { kind: 'delivery', recipients } : null;
};
