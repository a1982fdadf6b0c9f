/** Folds a content line (RFC 6350 section 3.2). */

/** Octets, the line break excluded. */
const MAX_OCTETS = 75;

const countOctets = (codePoint: number): number => {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
};

/** Breaks between characters, never within one of UTF-8. @returns the line with its CRLF */
export const foldLine = (line: string): string => {
  let folded = '';
  let from = 0;
  let room = MAX_OCTETS;
  for (let at = 0; at < line.length; ) {
    const codePoint = line.codePointAt(at) ?? 0;
    const octets = countOctets(codePoint);
    if (octets > room) {
      folded += `${line.slice(from, at)}\r\n `;
      from = at;
      room = MAX_OCTETS - 1;
    }
    room -= octets;
    at += codePoint < 0x10000 ? 1 : 2;
  }
  return `${folded}${line.slice(from)}\r\n`;
};
