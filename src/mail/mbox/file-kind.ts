/** Detects the format of a mail file by its first octets. */

import { asBuffer } from '../../kernel/text/octets.ts';

export type FileKind =
  | { kind: 'mbox' }
  | { kind: 'message' }
  | { kind: 'empty' }
  /** @member name the actual format, where it is known */
  | { kind: 'other'; name: string | null };

/** Octets that decide. */
export const KIND_OCTETS = 1_024;

const MAGIC: readonly (readonly [hex: string, name: string])[] = [
  ['504b0304', 'a zip archive'],
  ['1f8b', 'a gzip file'],
  ['28b52ffd', 'a zstd file'],
  ['425a68', 'a bzip2 file'],
  ['fd377a585a00', 'an xz file'],
  ['377abcaf271c', 'a 7z archive'],
  ['2142444e', 'an Outlook data file (.pst)'],
  ['d0cf11e0a1b11ae1', 'an Outlook message (.msg)'],
  ['53514c69746520666f726d61742033', 'a SQLite database'],
  ['255044462d', 'a PDF'],
];

/**
 * A header field of RFC 5322 section 2.2, blanks before its colon included (section 4.5). A whole first line is enough:
 * a mail may have NUL in a later field or in its body.
 */
const FIELD = /^[\x21-\x39\x3b-\x7e]{1,200}[ \t]*:[^\0\n]*(?:\n|$)/;

/** @param start the first {@link KIND_OCTETS} of the file, or all of it */
export const findFileKind = (start: Uint8Array): FileKind => {
  const octets = asBuffer(start);
  if (octets.length === 0) return { kind: 'empty' };
  const hex = octets.toString('hex', 0, 16);
  const known = MAGIC.find(([magic]) => hex.startsWith(magic));
  if (known) return { kind: 'other', name: known[1] };
  const text = octets.toString('latin1');
  if (text.startsWith('From ')) return { kind: 'mbox' };
  return FIELD.test(text) ? { kind: 'message' } : { kind: 'other', name: null };
};
