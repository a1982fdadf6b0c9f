/** The parts of an SMTP reply: RFC 5321 section 4.2, RFC 3463. */

export interface SmtpReply {
  /** 200 to 599. */
  readonly code: number;
  /** RFC 3463, as `5.1.1`; null where the reply has none, or one whose class is not its code's. */
  readonly enhanced: string | null;
  /** The reply as it came, its lines joined by LF. */
  readonly response: string;
}

/** A reply is kept with each attempt; RFC 5321 section 4.5.3.1.5 gives a line 512 octets. */
const MAX_RESPONSE = 2000;

/** Reads a reply, of one line or more; null where it does not begin with a reply code. */
export const parseReply = (text: string): SmtpReply | null => {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  const code = /^([2-5][0-9]{2})(?=[ -]|$)/.exec(lines.at(-1) ?? '')?.[1];
  if (code === undefined) return null;
  const enhanced = lines
    .map((line) => /^[0-9]{3}[ -]([245]\.[0-9]{1,3}\.[0-9]{1,3})(?=\s|$)/.exec(line)?.[1])
    .find((found) => found?.[0] === code[0]);
  return { code: Number(code), enhanced: enhanced ?? null, response: lines.join('\n').slice(0, MAX_RESPONSE) };
};
