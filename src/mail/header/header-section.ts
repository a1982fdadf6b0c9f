/**
 * Locates the header section of a message (RFC 5322 section 2.2), splits it into fields and unfolds them; the bytes
 * stay unchanged.
 */

import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

export interface HeaderField {
  /** As in the message. */
  readonly name: string;
  /** In lower case, for comparison. */
  readonly key: string;
  /**
   * Unfolded and trimmed; 8-bit octets decoded as UTF-8 (RFC 6532), else as Windows-1252. Encoded words are not
   * decoded.
   */
  readonly value: string;
}

export interface HeaderLimits {
  /** Maximum octets of the section that are parsed; the rest is ignored. */
  readonly headerBytes: number;
  /** Maximum number of fields that are parsed. */
  readonly headerFields: number;
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

/** A field name, with the blanks before its colon that the obsolete syntax of RFC 5322 section 4.5.8 allows. */
const FIELD_NAME = /^([\x21-\x39\x3b-\x7e]+)[ \t\r\n]*:/;
const EIGHT_BIT = /[\x80-\xff]/;
/** The separator line of an mbox. */
const MBOX_LINE = /^>?From /;

const latin = new TextDecoder('windows-1252');

/**
 * Splits a message at its first empty line. Accepts CRLF and bare LF, because message files have either.
 * @returns views on `raw`: the fields with their line ends, and everything after the empty line
 */
export const splitMessage = (raw: Buffer): { header: Buffer; body: Buffer } => {
  let start = 0;
  while (start < raw.length) {
    if (raw[start] === LF) return { header: raw.subarray(0, start), body: raw.subarray(start + 1) };
    if (raw[start] === CR && raw[start + 1] === LF) {
      return { header: raw.subarray(0, start), body: raw.subarray(start + 2) };
    }
    const end = raw.indexOf(LF, start);
    if (end < 0) break;
    start = end + 1;
  }
  return { header: raw, body: raw.subarray(raw.length) };
};

/** Returns the header section as a view on `raw`: every field with its line end, without the empty line. */
export const headerSection = (raw: Buffer): Buffer => splitMessage(raw).header;

/** Calls back with the bounds of each field of a section, folded lines included; stops once `each` returns false. */
export const eachField = (header: Buffer, each: (start: number, end: number) => boolean | undefined): void => {
  let start = 0;
  while (start < header.length) {
    let end = start;
    do {
      const lineEnd = header.indexOf(LF, end);
      end = lineEnd < 0 ? header.length : lineEnd + 1;
    } while (end < header.length && (header[end] === SPACE || header[end] === TAB));
    if (each(start, end) === false) return;
    start = end;
  }
};

const readText = (octets: string): string => {
  if (!EIGHT_BIT.test(octets)) return octets;
  const bytes = Buffer.from(octets, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : latin.decode(bytes);
};

/** Parses one field, folded or not; null for any other line. */
export const readField = (octets: string): HeaderField | null => {
  const match = FIELD_NAME.exec(octets);
  if (!match?.[1]) return null;
  const value = octets.slice(match[0].length).replace(/[\r\n]+/g, '');
  return { name: match[1], key: match[1].toLowerCase(), value: readText(value).trim() };
};

export interface ReadFields {
  fields: HeaderField[];
  /** Whether part of the section exceeds the limits and is not parsed. */
  isCut: boolean;
  defects: string[];
}

/** Parses the fields in order, within the limits. A line that is not a field is left out and reported as a defect. */
export const readFields = (header: Buffer, limits: HeaderLimits): ReadFields => {
  const fields: HeaderField[] = [];
  const defects = new Set<string>();
  const within = header.length > limits.headerBytes ? header.subarray(0, limits.headerBytes) : header;
  let isCut = within !== header;
  if (isCut) defects.add('header section too long');
  eachField(within, (start, end) => {
    if (fields.length >= limits.headerFields) {
      defects.add('too many header fields');
      isCut = true;
      return false;
    }
    const octets = within.toString('latin1', start, end);
    const field = readField(octets);
    if (field) fields.push(field);
    else if (start > 0 || !MBOX_LINE.test(octets)) defects.add('malformed header line');
    return true;
  });
  return { fields, isCut, defects: [...defects] };
};
