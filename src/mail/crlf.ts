/** Line ends as SMTP has them (RFC 5321 section 2.3.8). */

const LF = 0x0a;
const CR = 0x0d;

/** The same bytes where every LF follows a CR; else a copy in which it does. */
export const withCrlf = (bytes: Buffer): Buffer => {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (at === 0 || bytes[at - 1] !== CR) {
      return Buffer.from(bytes.toString('latin1').replace(/(?<!\r)\n/g, '\r\n'), 'latin1');
    }
  }
  return bytes;
};
