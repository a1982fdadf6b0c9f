/** Parses SMTP replies (RFC 5321 section 4.2, RFC 3463). */

export interface SmtpReply {
  /** 200 to 599. */
  readonly code: number;
  /** RFC 3463, as `5.1.1`; null without one, or where its class differs from the reply code's. */
  readonly enhanced: string | null;
  /** The reply verbatim, its lines joined by LF. */
  readonly response: string;
  /** Set for the reply to RCPT. */
  readonly isOfRecipient?: true;
}

/** Every attempt stores a reply; RFC 5321 section 4.5.3.1.5 limits a line to 512 octets. */
const MAX_RESPONSE = 2000;

/** Parses a reply of one line or more; null without a reply code. */
export const parseReply = (text: string): SmtpReply | null => {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  const code = /^([2-5][0-9]{2})(?=[ -]|$)/.exec(lines.at(-1) ?? '')?.[1];
  if (code === undefined) return null;
  const enhanced = lines
    .map((line) => /^[0-9]{3}[ -]([245]\.[0-9]{1,3}\.[0-9]{1,3})(?=\s|$)/.exec(line)?.[1])
    .find((found) => found?.[0] === code[0]);
  return { code: Number(code), enhanced: enhanced ?? null, response: lines.join('\n').slice(0, MAX_RESPONSE) };
};
