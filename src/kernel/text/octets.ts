/** Octets of messages: as threads hand them over, and as SMTP sends them. */

/** The same octets as a Buffer. A thread hands over a plain array, and its `toString` writes numbers. */
export const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

const BARE_LINE_END = /\r(?!\n)|(?<!\r)\n/;

/** Ends each line by CRLF, as DATA sends it (RFC 5321 section 2.3.8). @param text one character per octet */
export const withSmtpLineEnds = (text: string): string =>
  BARE_LINE_END.test(text) ? text.replace(/\r\n?|\n/g, '\r\n') : text;
