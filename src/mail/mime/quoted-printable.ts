/**
 * The quoted-printable encoding (RFC 2045 section 6.7), octet by octet: string operations would take forty times the
 * memory.
 */

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const EQUALS = 0x3d;

const isBlank = (octet: number | undefined): boolean => octet === SPACE || octet === TAB || octet === CR;

/** The value of a hexadecimal digit; -1 for any other octet. Accepts lower case, which is invalid but in use. */
const digit = (octet: number): number => {
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30;
  const letter = octet | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
};

/**
 * Decodes to octets with bare LF. Drops blanks at a line's end, which transport added; a soft line break joins two lines.
 */
export const decodeQuotedPrintable = (body: Buffer): Buffer => {
  const decoded = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let start = 0; start < body.length; ) {
    const lf = body.indexOf(LF, start);
    let end = lf < 0 ? body.length : lf;
    while (end > start && isBlank(body[end - 1])) end -= 1;
    const joins = end > start && body[end - 1] === EQUALS;
    if (joins) end -= 1;
    for (let at = start; at < end; at += 1) {
      const octet = body[at] as number;
      const high = octet === EQUALS && at + 2 < end ? digit(body[at + 1] as number) : -1;
      const low = high < 0 ? -1 : digit(body[at + 2] as number);
      decoded[length++] = low < 0 ? octet : high * 16 + low;
      if (low >= 0) at += 2;
    }
    if (!joins && lf >= 0) decoded[length++] = LF;
    start = lf < 0 ? body.length : lf + 1;
  }
  return decoded.subarray(0, length);
};

const HEX = Array.from({ length: 256 }, (_, octet) => `=${octet.toString(16).toUpperCase().padStart(2, '0')}`);

/** Encodes text line by line. @param text one character per octet, with CRLF */
export const encodeQuotedPrintable = (text: string): string =>
  text
    .split('\r\n')
    .map((line) => {
      let written = '';
      let row = '';
      for (let at = 0; at < line.length; at++) {
        const octet = line.charCodeAt(at);
        const isBlankAtEnd = at === line.length - 1 && (octet === 0x20 || octet === 0x09);
        const isPlain = (octet >= 0x20 && octet < 0x7f && octet !== 0x3d) || octet === 0x09;
        const next = isPlain && !isBlankAtEnd ? line.charAt(at) : (HEX[octet] ?? '');
        if (row.length + next.length > 75) {
          written += `${row}=\r\n`;
          row = '';
        }
        row += next;
      }
      return written + row;
    })
    .join('\r\n');
