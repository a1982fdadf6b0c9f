/** Converts line ends to and from those of SMTP (RFC 5321 section 2.3.8). */

const LF = 0x0a;
const CR = 0x0d;

/** Returns `bytes` itself where every LF follows a CR; else a copy in which it does. */
export const withCrlf = (bytes: Buffer): Buffer => {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (at === 0 || bytes[at - 1] !== CR) {
      return Buffer.from(bytes.toString('latin1').replace(/(?<!\r)\n/g, '\r\n'), 'latin1');
    }
  }
  return bytes;
};

/**
 * Returns the octets with a bare LF for every CRLF. Works on octets: replacing in a string of many short lines takes
 * twenty times the time.
 */
export const withLf = (bytes: Buffer): Buffer => {
  let at = bytes.indexOf(CR);
  if (at < 0) return bytes;
  const out = Buffer.allocUnsafe(bytes.length);
  let length = bytes.copy(out, 0, 0, at);
  for (; at < bytes.length; at += 1) {
    if (bytes[at] !== CR || bytes[at + 1] !== LF) out[length++] = bytes[at] as number;
  }
  return out.subarray(0, length);
};
