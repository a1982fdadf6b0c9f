/** Formats MAIL, and detects mail that the host's extensions rule out before it is sent. */

import { isAscii } from 'node:buffer';
import { asBuffer } from '../../kernel/text/octets.ts';
import type { MailToDeliver } from './delivery-request.ts';
import type { Extensions } from './extensions.ts';
import { parseReply, type SmtpReply } from './smtp-reply.ts';

const hasHighBit = (bytes: Uint8Array): boolean => !isAscii(bytes);

const END_OF_HEADER = Buffer.from('\r\n\r\n');

/** Whether the envelope or the header contains non-ASCII (RFC 6531 section 3.5). */
const needsUtf8 = ({ mailFrom, recipient, raw }: MailToDeliver): boolean => {
  const bytes = asBuffer(raw);
  const end = bytes.indexOf(END_OF_HEADER);
  return (
    hasHighBit(Buffer.from(`${mailFrom ?? ''}${recipient}`)) || hasHighBit(bytes.subarray(0, end < 0 ? undefined : end))
  );
};

/** Selects the bytes for the host's extensions. */
export const mailFor = (mail: MailToDeliver, { offers }: Extensions): MailToDeliver =>
  mail.asciiRaw && !offers('SMTPUTF8') ? { ...mail, raw: mail.asciiRaw } : mail;

/** Formats MAIL with the parameters that the host supports: RFC 1870, RFC 6152, RFC 6531. */
export const mailCommand = (mail: MailToDeliver, { offers }: Extensions): string => {
  const { mailFrom, raw } = mail;
  const parameters: string[] = [];
  if (offers('SIZE')) parameters.push(`SIZE=${raw.length}`);
  if (offers('8BITMIME') && hasHighBit(raw)) parameters.push('BODY=8BITMIME');
  if (offers('SMTPUTF8') && needsUtf8(mail)) parameters.push('SMTPUTF8');
  return [`MAIL FROM:<${mailFrom ?? ''}>`, ...parameters].join(' ');
};

/**
 * @returns null where the host can accept the mail; else the rejection, in the form of the reply that the host would
 *   send
 */
export const refusalBeforeMail = (
  { mailFrom, recipient, raw }: MailToDeliver,
  { offers, sizeLimit }: Extensions,
  host: string,
): SmtpReply | null => {
  const addresses = `${mailFrom ?? ''}${recipient}`;
  // Addresses are sent unquoted between angle brackets.
  if (/[<>\p{Cc}]/u.test(addresses)) return parseReply('553 5.1.3 The address cannot be sent');
  // RFC 6531 section 3.2: a host without the extension must not receive such an address.
  if (hasHighBit(Buffer.from(addresses)) && !offers('SMTPUTF8')) {
    return parseReply(`553 5.6.7 ${host} does not take addresses outside ASCII (no SMTPUTF8)`);
  }
  // RFC 6152 section 3: nor 8-bit data. A host with SMTPUTF8 supports 8BITMIME as well (RFC 6531 section 3.1).
  if (hasHighBit(raw) && !offers('8BITMIME') && !offers('SMTPUTF8')) {
    return parseReply(`554 5.6.3 ${host} does not take 8-bit mail, and this one cannot be converted`);
  }
  // RFC 1870 section 6.1.
  if (sizeLimit === 0 || raw.length <= sizeLimit) return null;
  return parseReply(`552 5.3.4 ${host} takes messages of ${sizeLimit} bytes, this one has ${raw.length}`);
};
