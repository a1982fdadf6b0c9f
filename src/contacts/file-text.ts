/** Decodes a file by its octets: a byte order mark, UTF-16 without one, UTF-8, else Windows-1252. */

import { isUtf8 } from 'node:buffer';
import { asBuffer } from '../kernel/text/octets.ts';

/** Octets that are checked for UTF-16 without a mark. */
const SAMPLE = 1_024;

/** Text in a Latin script has a zero in every other octet of UTF-16, and UTF-8 has none at all. */
const utf16ByZeros = (octets: Uint8Array): 'utf-16le' | 'utf-16be' | null => {
  const length = Math.min(octets.length, SAMPLE) & ~1;
  const zeros = [0, 0] as [number, number];
  for (let at = 0; at < length; at += 1) if (octets[at] === 0) zeros[(at & 1) as 0 | 1] += 1;
  const most = length / 4;
  if (zeros[1] > most && zeros[0] < zeros[1] / 4) return 'utf-16le';
  return zeros[0] > most && zeros[1] < zeros[0] / 4 ? 'utf-16be' : null;
};

const detectCharset = (octets: Uint8Array): string => {
  if (octets[0] === 0xff && octets[1] === 0xfe) return 'utf-16le';
  if (octets[0] === 0xfe && octets[1] === 0xff) return 'utf-16be';
  return utf16ByZeros(octets) ?? (isUtf8(octets) ? 'utf-8' : 'windows-1252');
};

/** The whole text, without its byte order mark. */
export const decodeFile = (octets: Uint8Array): string => new TextDecoder(detectCharset(octets)).decode(octets);

/** The same text as octets of UTF-8 where it is UTF-16; else the octets as they are, without a mark of UTF-8. */
export const withoutUtf16 = (octets: Uint8Array): Buffer => {
  if (detectCharset(octets).startsWith('utf-16')) return Buffer.from(decodeFile(octets));
  const bytes = asBuffer(octets);
  return bytes.length >= 3 && bytes.readUIntBE(0, 3) === 0xefbbbf ? bytes.subarray(3) : bytes;
};
