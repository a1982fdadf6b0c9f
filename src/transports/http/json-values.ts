/** Bounds what JSON costs beyond its octets: a value of two octets becomes an object of fifty, made on the main thread. */

/** Strings, arrays, objects, and what stands between two of them. */
export const MAX_JSON_VALUES = 100_000;
/** Numbers, marks and white space outside of strings. */
const MAX_OUTSIDE_STRINGS = 4 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MARKS: ReadonlySet<number> = new Set(Buffer.from('[{,'));

/** Index of the quote that ends a string; -1 where none does. */
const endOfString = (octets: Buffer, from: number): number => {
  for (let end = octets.indexOf(QUOTE, from); end !== -1; end = octets.indexOf(QUOTE, end + 1)) {
    let slashes = 0;
    while (octets[end - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return -1;
};

/** Whether a body has more values than any operation takes. Its strings are skipped by search, so that a long one costs little. */
export const hasTooManyValues = (octets: Buffer): boolean => {
  let values = 0;
  let outside = 0;
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] ?? 0;
    outside += 1;
    if (octet === QUOTE) {
      at = endOfString(octets, at + 1);
      if (at === -1) return false;
      values += 1;
    } else if (MARKS.has(octet)) {
      values += 1;
    }
    if (values > MAX_JSON_VALUES || outside > MAX_OUTSIDE_STRINGS) return true;
  }
  return false;
};
