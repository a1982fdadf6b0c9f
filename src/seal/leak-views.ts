/** The ways in which a text is read when it is searched for secrets: what stands between, or encodes, its characters is undone. */

const QUOTED_PRINTABLE = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** The value of a hexadecimal digit; -1 for any other byte. */
const hexOf = (byte: number | undefined): number => {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
};

interface View {
  /** Leaves out these bytes beside white space. */
  dropped: number | null;
  /** Begins two hexadecimal digits, or stands before a line break that it joins (RFC 2045 section 6.7). */
  escape: number | null;
}

const read = (text: Uint8Array, { dropped, escape: mark }: View): Uint8Array => {
  const seen = new Uint8Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] as number;
    if (isBlank(byte) || byte === dropped) continue;
    if (byte === mark) {
      const [high, low] = [hexOf(text[at + 1]), hexOf(text[at + 2])];
      if (high >= 0 && low >= 0) {
        const decoded = high * 16 + low;
        at += 2;
        if (!isBlank(decoded)) seen[length++] = decoded;
        continue;
      }
      if (mark === QUOTED_PRINTABLE && isLineEnd(text, at + 1)) continue;
    }
    seen[length++] = byte;
  }
  return seen.subarray(0, length);
};

/** Blanks may stand before the end of a line that quoted-printable joins. */
const isLineEnd = (text: Uint8Array, from: number): boolean => {
  let at = from;
  while (text[at] === 0x20 || text[at] === 0x09) at += 1;
  return text[at] === 0x0a || text[at] === 0x0d;
};

/** Yields the text without white space, then as URL-encoding and as quoted-printable where it has what looks like it. */
export function* leakViews(text: Uint8Array): Generator<Uint8Array> {
  yield read(text, { dropped: null, escape: null });
  const hasPlus = text.includes(PLUS);
  if (text.includes(PERCENT)) yield read(text, { dropped: null, escape: PERCENT });
  // In a form's encoding a plus stands for a blank.
  if (hasPlus) yield read(text, { dropped: PLUS, escape: PERCENT });
  if (text.includes(QUOTED_PRINTABLE)) yield read(text, { dropped: null, escape: QUOTED_PRINTABLE });
}
