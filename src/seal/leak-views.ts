/** The ways in which a text is read when it is searched for secrets: what stands between, or encodes, its characters is undone. */

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const PERCENT = 0x25;
const PLUS = 0x2b;
const EQUALS = 0x3d;

/** By byte: the value of a hexadecimal digit; 255 for any other. */
const HEX = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? 255 : digit;
});
/** By byte: 1 for white space (tab to carriage return, blank). */
const IS_BLANK = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === BLANK || (byte >= TAB && byte <= CARRIAGE_RETURN) ? 1 : 0,
);

const isHexPair = (text: Uint8Array, at: number): boolean =>
  at + 1 < text.length && (HEX[text[at] as number] as number) < 16 && (HEX[text[at + 1] as number] as number) < 16;

/** Whether a line ends there, but for blanks (RFC 2045 section 6.7). */
const isLineEnd = (text: Uint8Array, from: number): boolean => {
  let at = from;
  while (text[at] === BLANK || text[at] === TAB) at += 1;
  return text[at] === LINE_FEED || text[at] === CARRIAGE_RETURN;
};

const withoutBlanks = (text: Uint8Array): Uint8Array => {
  const seen = new Uint8Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] as number;
    seen[length] = byte;
    // No branch: what is overwritten next was a blank.
    length += 1 - (IS_BLANK[byte] as number);
  }
  return seen.subarray(0, length);
};

/** @param mark begins two hexadecimal digits @param dropped left out beside white space; null: none */
const decoded = (text: Uint8Array, mark: number, dropped: number | null): Uint8Array => {
  const seen = new Uint8Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    let byte = text[at] as number;
    if (byte === dropped) continue;
    if (byte === mark) {
      if (isHexPair(text, at + 1)) {
        byte = (HEX[text[at + 1] as number] as number) * 16 + (HEX[text[at + 2] as number] as number);
        at += 2;
      } else if (mark === EQUALS && isLineEnd(text, at + 1)) continue;
    }
    if (IS_BLANK[byte] === 0) seen[length++] = byte;
  }
  return seen.subarray(0, length);
};

/** Whether the text has a mark before two hexadecimal digits or, in quoted-printable, before the end of a line. */
const isEncoded = (text: Uint8Array, mark: number): boolean => {
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    if (isHexPair(text, at + 1) || (mark === EQUALS && isLineEnd(text, at + 1))) return true;
  }
  return false;
};

/**
 * Yields the text without white space, and again with URL-encoding and quoted-printable undone where it has them.
 * @param hasBlanks whether a plus may stand for a blank of a value
 */
export function* leakViews(text: Uint8Array, hasBlanks: boolean): Generator<Uint8Array> {
  yield withoutBlanks(text);
  if (isEncoded(text, PERCENT)) yield decoded(text, PERCENT, null);
  if (hasBlanks && text.includes(PLUS)) yield decoded(text, PERCENT, PLUS);
  if (isEncoded(text, EQUALS)) yield decoded(text, EQUALS, null);
}
