/** Bounds the cost of JSON beyond its octets: a value of two octets becomes an object of fifty, on the main thread. */

/** Strings, arrays, objects, and separators. */
export const MAX_JSON_VALUES = 100_000;
/** Numbers, marks and white space outside of strings. */
const MAX_OUTSIDE_STRINGS = 4 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MARKS: ReadonlySet<number> = new Set(Buffer.from('[{,'));

/** Quotes within strings; the search for a string's end stops at each. */
const MAX_QUOTES = 1_000_000;

/** Whether the quote at an index is one of the string's own characters. */
const isEscaped = (octets: Buffer, quote: number): boolean => {
  let slashes = 0;
  while (octets[quote - 1 - slashes] === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
};

/** Whether a body has more values than any operation needs. Skips strings by search, so that long ones cost little. */
export const hasTooManyValues = (octets: Buffer): boolean => {
  let values = 0;
  let quotes = 0;
  let outside = 0;
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] ?? 0;
    outside += 1;
    if (octet === QUOTE) {
      at = octets.indexOf(QUOTE, at + 1);
      while (at !== -1 && isEscaped(octets, at) && quotes <= MAX_QUOTES) {
        quotes += 1;
        at = octets.indexOf(QUOTE, at + 1);
      }
      // A string without an end is invalid JSON.
      if (at === -1) return false;
      values += 1;
    } else if (MARKS.has(octet)) {
      values += 1;
    }
    if (values > MAX_JSON_VALUES || quotes > MAX_QUOTES || outside > MAX_OUTSIDE_STRINGS) return true;
  }
  return false;
};
