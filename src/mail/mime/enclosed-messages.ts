/** Derives text from attached messages and invitations. */

import { formatNamed } from '../../kernel/address.ts';
import type { MailHead } from '../header/message-header.ts';
import { mailDate } from '../header/trace-fields.ts';
import { describeCalendar } from '../text/calendar.ts';
import { CALENDAR, type FilePart } from './mime-parts.ts';

/** Messages of a digest with included text, and the nesting of parsed messages. */
const MAX_MESSAGES = 50;
export const MAX_ENCLOSED_DEPTH = 3;
/** Octets of them that are parsed. */
const MAX_OCTETS = 8 * 1024 * 1024;

const MESSAGE = new Set(['message/rfc822', 'message/global', 'message/news']);
const PARTING = '-'.repeat(30);

/** The members of an attached message that its text includes. */
export interface EnclosedMail extends Pick<MailHead, 'from' | 'to' | 'cc' | 'date' | 'subject'> {
  text: string;
  attachments: readonly { filename: string }[];
}

export const describeMessage = ({ from, to, cc, date, subject, text, attachments }: EnclosedMail): string => {
  const about = [
    ['From', from.map(formatNamed).join(', ')],
    ['Date', date === null ? '' : mailDate(date)],
    ['Subject', subject],
    ['To', to.map(formatNamed).join(', ')],
    ['Cc', cc.map(formatNamed).join(', ')],
    ['Attachments', attachments.map(({ filename }) => filename).join(', ')],
  ].flatMap(([label, value]) => (value === '' ? [] : [`${label}: ${value}`]));
  return `${about.join('\n')}\n\n${text.trim()}`.trim();
};

/**
 * @param ownText the text of the mail's own parts
 * @param read parses an attached message
 * @returns the invitation, `ownText`, then the messages of a digest: below a quote or a signature the invitation would be
 *   hidden. Without `ownText`, the attached messages or any invitation
 */
export const withEnclosed = async (
  ownText: string,
  files: readonly FilePart[],
  read: (raw: Buffer) => Promise<EnclosedMail>,
): Promise<string> => {
  const isEmpty = ownText.trim() === '';
  const messages = files.filter((file) => MESSAGE.has(file.contentType) && (isEmpty || file.displayed));
  const shown: string[] = isEmpty ? [] : [ownText];
  let octets = 0;
  for (const { content } of messages.slice(0, MAX_MESSAGES)) {
    octets += content.length;
    if (octets > MAX_OCTETS) break;
    shown.push(describeMessage(await read(content)));
  }
  const hasOther = shown.length > 0;
  const invitation = files.find((file) => CALENDAR.has(file.contentType) && (file.displayed || !hasOther));
  // Programs that send text beside an invitation have its description there.
  const event = invitation ? describeCalendar(invitation.content, !hasOther) : '';
  if (event !== '') shown.unshift(event);
  return shown.join(`\n\n${PARTING}\n\n`);
};
