/**
 * A bare CR or LF inside a mail. Hosts disagree on whether it ends a line, which is how a second mail is smuggled
 * behind the first; RFC 5321 section 2.3.8 forbids both.
 */

const CR = 0x0d;
const LF = 0x0a;

export const hasBareLineEnd = (bytes: Buffer): boolean => {
  for (let lf = bytes.indexOf(LF); lf !== -1; lf = bytes.indexOf(LF, lf + 1)) {
    if (bytes[lf - 1] !== CR) return true;
  }
  for (let cr = bytes.indexOf(CR); cr !== -1; cr = bytes.indexOf(CR, cr + 1)) {
    if (bytes[cr + 1] !== LF) return true;
  }
  return false;
};
