/**
 * Parses provider notifications: Amazon SES reports bounces and complaints by mail (SNS) as JSON in the text, which
 * transport may have folded.
 */

import type { ParsedMail } from '../mime/parse-message.ts';
import { codesIn, reportedAddress } from './delivery-status.ts';
import type { MailReport, ReportedRecipient } from './mail-report.ts';

const KIND = /^\s*\{[\s\S]{0,2000}?"(?:notification|event)Type"\s{0,4}:\s{0,4}"(Bounce|Complaint)"/;
const BOUNCED = /"bouncedRecipients"\s{0,4}:\s{0,4}\[/;
const FEEDBACK_TYPE = /"complaintFeedbackType"\s{0,4}:\s{0,4}"([\w-]{1,40})"/;
const TRANSIENT = /"bounceType"\s{0,4}:\s{0,4}"Transient"/;
const MAX_TEXT_CHARS = 32 * 1024;
const MAX_RECIPIENTS = 50;

/** Returns the value of a string readMember; '' without it. */
const readMember = (json: string, name: string): string => {
  const at = json.indexOf(`"${name}"`);
  if (at < 0) return '';
  const value = /^\s{0,4}:\s{0,4}"((?:[^"\\]|\\.)*)"/.exec(json.slice(at + name.length + 2))?.[1] ?? '';
  return value
    .replace(/\\[nrt]/g, ' ')
    .replace(/\\(.)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
};

const readRecipient = (json: string, isTransient: boolean): ReportedRecipient => {
  const diagnostic = readMember(json, 'diagnosticCode').replace(/^smtp; ?/i, '');
  const { code, enhancedCode } = codesIn(diagnostic);
  const action = isTransient && readMember(json, 'action') === 'delayed' ? 'delayed' : 'failed';
  const addresses = [reportedAddress(readMember(json, 'emailAddress'))].filter((address) => address !== '');
  return { addresses, action, code, enhancedCode: enhancedCode ?? (readMember(json, 'status') || null), diagnostic };
};

/** @returns null where the mail is no such notification, or its kind reports no failure */
export const readProviderNotification = ({ text }: Pick<ParsedMail, 'text'>): MailReport | null => {
  // A notification nested in another service's holds it as an escaped string.
  const json = text.slice(0, MAX_TEXT_CHARS).replaceAll('\\"', '"');
  const kind = KIND.exec(json)?.[1];
  if (kind === undefined) return null;
  if (kind === 'Complaint') return { kind: 'feedback', feedbackType: FEEDBACK_TYPE.exec(json)?.[1] ?? 'abuse' };
  const begin = BOUNCED.exec(json);
  if (!begin) return null;
  const entries = json.slice(begin.index + begin[0].length).split('}', MAX_RECIPIENTS);
  const end = entries.findIndex((entry) => entry.trimStart().startsWith(']'));
  const bounced = entries.slice(0, end < 0 ? entries.length : end).filter((entry) => entry.includes('"emailAddress"'));
  const recipients = bounced.map((entry) => readRecipient(entry, TRANSIENT.test(json)));
  return recipients.length > 0 ? { kind: 'delivery', recipients } : null;
};
