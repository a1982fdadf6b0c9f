/** Decodes a document: by its byte order mark, the transport's charset, its own declaration, else by its octets. */

import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { plainText } from '../kernel/text/clean-text.ts';
import { asBuffer } from '../kernel/text/octets.ts';

/** Octets that are searched for a declaration: HTML section 13.2.3.2 has 1024, and browsers read the whole head. */
const DECLARED_WITHIN = 4096;
const DECLARATION = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const XML_DECLARATION = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/i;

const MARKS: readonly (readonly [charset: string, octets: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * UTF-7 hides markup, and no browser reads it; the others are the library's names for encodings that are no charset.
 */
const NO_CHARSETS = /^(?:utf7|base64|hex|internal)/;
/** The library compares names without case and punctuation. */
const isKnown = (charset: string): boolean =>
  !NO_CHARSETS.test(charset.toLowerCase().replace(/[^0-9a-z]/g, '')) && iconv.encodingExists(charset);

/** Encoding Standard section 4.2: iso-8859-1 stands for windows-1252, which has quotes in place of control characters. */
const standardName = (charset: string): string => {
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return charset;
  }
};

const markedCharset = (octets: Uint8Array): string | null =>
  MARKS.find(([, mark]) => mark.every((octet, at) => octets[at] === octet))?.[0] ?? null;

/** A page that declares UTF-16 in ASCII letters is not UTF-16 (HTML section 13.2.3.3). */
const declaredCharset = (octets: Uint8Array): string | null => {
  const head = Buffer.from(octets.subarray(0, DECLARED_WITHIN)).toString('latin1');
  const declared = DECLARATION.exec(head)?.[1] ?? XML_DECLARATION.exec(head)?.[1] ?? null;
  return declared !== null && /^utf-?16/i.test(declared) ? 'utf-8' : declared;
};

/** @param charset of the Content-Type; null where it has none. @returns text without control characters */
export const decodeDocument = (octets: Uint8Array, charset: string | null): string => {
  const named = [markedCharset(octets), charset, declaredCharset(octets)]
    .flatMap((each) => (each === null || /ascii$/i.test(each) ? [] : standardName(each)))
    .find(isKnown);
  const used = named ?? (isUtf8(octets) ? 'utf-8' : 'windows-1252');
  return plainText(iconv.decode(asBuffer(octets), used));
};
