/**
 * The canonical forms of a text for the search for secrets: character encodings are undone and separators removed;
 * once as written, and once without case and punctuation.
 */

import { toNormalForm } from '../kernel/text/normal-form.ts';
import { asBuffer } from '../kernel/text/octets.ts';

/** Encoded characters: URL-encoding, escapes of JSON and JavaScript, character references of HTML. */
const ESCAPE =
  /%([\da-f]{2})|((?:\\u[\da-f]{4})+)|\\u\{([\da-f]{1,6})\}|\\x([\da-f]{2})|\\([^\da-z])|\\[nrt]|&#x([\da-f]{1,6});?|&#(\d{1,7});?|&(amp|lt|gt|quot|apos);/gi;
/** RFC 2045 section 6.7: an encoded character, or a soft line break. */
const QUOTED = /=([\da-f]{2})|=[ \t]*\r?\n/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Nested encodings that are undone. */
const MAX_DEPTH = 3;

/** The octets of UTF-8, one character each. */
const toOctets = (text: string): string => Buffer.from(text).toString('latin1');

const fromCode = (code: number): string => (code <= 0x10ffff ? toOctets(String.fromCodePoint(code)) : '');

const unescaped = (text: string): string =>
  text.replace(ESCAPE, (_all, url, units, point, octet, itself, hex, decimal, name) => {
    if (url ?? octet) return String.fromCharCode(Number.parseInt(url ?? octet, 16));
    if (units)
      return toOctets(
        units.replace(/\\u(....)/g, (_unit: string, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
      );
    if (point ?? hex) return fromCode(Number.parseInt(point ?? hex, 16));
    if (decimal) return fromCode(Number(decimal));
    return itself ?? NAMED[String(name).toLowerCase()] ?? '';
  });

const unquoted = (text: string): string =>
  text.replace(QUOTED, (_all, octet) => (octet ? String.fromCharCode(Number.parseInt(octet, 16)) : ''));

/** Maps each octet to its form; 0: it is removed. */
const tableOf = (keep: (byte: number) => number): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => keep(byte));
const isUpper = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a;
const isWordByte = (byte: number): boolean =>
  byte >= 0x80 || (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a);
const WRITTEN = tableOf((byte) => (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) ? 0 : byte));
const FOLDED = tableOf((byte) => (isUpper(byte) ? byte + 0x20 : isWordByte(byte) ? byte : 0));

const through = (table: Uint8Array, text: Uint8Array): Buffer => {
  const kept = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = table[text[at] as number] as number;
    kept[length] = byte;
    // Branchless: the next octet overwrites a removed one.
    length += byte === 0 ? 0 : 1;
  }
  return kept.subarray(0, length);
};

/** Removes white space. */
export const written = (text: Uint8Array): Buffer => through(WRITTEN, text);
/** Removes case, white space, signs and separators. */
export const folded = (text: Uint8Array): Buffer => through(FOLDED, text);

/** Octets. Larger texts are files, which no person reads letter by letter. */
const MAX_NORMALISED = 1_048_576;
const TAG_CHARACTERS = /[\u{e0020}-\u{e007e}]/gu;

/** Replaces look-alike and invisible characters by their equivalents (NFKC, Unicode tags); null: none. */
const normalised = (source: string): string | null => {
  if (source.length > MAX_NORMALISED || !/[\x80-\xff]/.test(source)) return null;
  const text = toNormalForm(Buffer.from(source, 'latin1').toString('utf8'), 'NFKC');
  return toOctets(text.replace(TAG_CHARACTERS, (tag) => String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000)));
};

/** The forms of a text, each once. */
export function* leakViews(text: Uint8Array): Generator<Uint8Array> {
  const source = asBuffer(text).toString('latin1');
  const readings = new Set([source, unquoted(source)]);
  for (const each of [...readings]) readings.add(normalised(each) ?? each);
  for (const first of [...readings]) {
    let reading = first;
    for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
      reading = unescaped(reading);
      readings.add(reading);
    }
  }
  for (const reading of readings) {
    const bytes = reading === source ? text : Buffer.from(reading, 'latin1');
    yield written(bytes);
    yield folded(bytes);
  }
}
