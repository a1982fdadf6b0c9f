/**
 * 8bit-to-7bit conversion: octets below 128, lines of at most 998 (RFC 5321 section 4.5.3.1.6, RFC 6152 section 3).
 * Runs before signing, because a relay's later conversion would break the signature.
 */

import { isUtf8 } from 'node:buffer';
import { encodeField } from '../header/ascii-field.ts';
import { eachField, type HeaderField, readField } from '../header/header-section.ts';
import { base64Lines } from './base64.ts';
import { withCrlf } from './crlf.ts';
import { encodeQuotedPrintable } from './quoted-printable.ts';

/** RFC 5322 section 2.1.1, CRLF excluded. */
const MAX_LINE = 998;
/** Nesting of multiparts; deeper entities stay unchanged. */
const MAX_DEPTH = 20;
const MAX_PARTS = 1_000;

/** Steps from the last line end within reach to the next: reads each octet at most once. */
const hasLongLine = (text: string): boolean => {
  let start = 0;
  while (text.length - start > MAX_LINE) {
    const end = text.lastIndexOf('\n', start + MAX_LINE + 1);
    const isLong = end < start || (end === start + MAX_LINE + 1 && text[end - 1] !== '\r');
    if (isLong) return true;
    start = end + 1;
  }
  return false;
};

const isSevenBit = (text: string): boolean => !/[\x80-\xff\0]/.test(text) && !hasLongLine(text);

/** Makes text outside of any part sendable, which no parser shows: a preamble, a multipart without its boundary. */
const forceSevenBit = (text: string): string =>
  text
    .replace(/[\x80-\xff\0]/g, '?')
    .split('\r\n')
    .map((line) => (line.length > MAX_LINE ? (line.match(/.{1,998}/gs) ?? []).join('\r\n') : line))
    .join('\r\n');

interface Field {
  /** With its line ends. */
  written: string;
  /** Null for an invalid line, which is left out where it is not 7-bit. */
  read: HeaderField | null;
}

const parseFields = (header: string): Field[] => {
  const fields: Field[] = [];
  eachField(Buffer.from(header, 'latin1'), (start, end) => {
    const written = header.slice(start, end);
    fields.push({ written, read: readField(written) });
    return true;
  });
  return fields;
};

const readValue = (fields: readonly Field[], key: string): string =>
  fields.find(({ read }) => read?.key === key)?.read?.value ?? '';

/** Sets the Content-Transfer-Encoding of a part. */
const withEncoding = (fields: readonly Field[], encoding: string): Field[] => {
  const others = fields.filter(({ read }) => read?.key !== 'content-transfer-encoding');
  return [...others, ...parseFields(`Content-Transfer-Encoding: ${encoding}\r\n`)];
};

/** Declares a text that has no field of MIME, as scripts send it: no program decodes it by RFC 2045 otherwise. */
const withMimeFields = (fields: readonly Field[], body: string): readonly Field[] => {
  const added: string[] = [];
  if (readValue(fields, 'mime-version') === '') added.push('MIME-Version: 1.0\r\n');
  if (readValue(fields, 'content-type') === '' && isUtf8(Buffer.from(body, 'latin1'))) {
    added.push('Content-Type: text/plain; charset=utf-8\r\n');
  }
  return added.length === 0 ? fields : [...fields, ...parseFields(added.join(''))];
};

const joinEntity = (fields: readonly Field[], body: string): string => {
  const header = fields.map(({ written, read }) => {
    if (isSevenBit(written)) return written;
    return read ? encodeField(read) : '';
  });
  return `${header.join('')}\r\n${body}`;
};

class Converter {
  #parts = 0;

  /** Converts an entity: a message, or a part with its own header. */
  entity(text: string, depth: number): string {
    if (isSevenBit(text)) return text;
    this.#parts += 1;
    const headerEnd = text.startsWith('\r\n') ? 0 : text.indexOf('\r\n\r\n') + 2;
    // Without an empty line the whole entity is header.
    const [header, body] = headerEnd === 1 ? [text, ''] : [text.slice(0, headerEnd), text.slice(headerEnd + 2)];
    const read = parseFields(header);
    if (isSevenBit(body) || depth > MAX_DEPTH || this.#parts > MAX_PARTS) return joinEntity(read, body);
    const type = readValue(read, 'content-type').toLowerCase();
    // The signature covers the octets unchanged; RFC 1847 requires 7-bit data before signing.
    if (type.startsWith('multipart/signed')) return joinEntity(read, body);
    const fields = depth === 0 ? withMimeFields(read, body) : read;
    if (type.startsWith('multipart/'))
      return joinEntity(withEncoding(fields, '7bit'), this.#multipart(fields, body, depth));
    // RFC 2046 section 5.2.1: an enclosed message has no transfer encoding of its own.
    if (type.startsWith('message/rfc822') || type.startsWith('message/global')) {
      return joinEntity(withEncoding(fields, '7bit'), this.entity(body, depth + 1));
    }
    return this.#leaf(type, fields, body);
  }

  #multipart(fields: readonly Field[], body: string, depth: number): string {
    const written = readValue(fields, 'content-type');
    const boundary = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(written);
    const name = boundary?.[1] ?? boundary?.[2];
    if (name === undefined) return forceSevenBit(body);
    const mark = `--${name}`;
    const lines = body.split('\r\n');
    const isBoundary = (line: string) => line.startsWith(mark) && /^(?:--)?[ \t]*$/.test(line.slice(mark.length));
    const pieces: string[] = [];
    let piece: string[] = [];
    let isPart = false;
    const endPiece = () => {
      const text = piece.join('\r\n');
      pieces.push(isPart ? this.entity(text, depth + 1) : forceSevenBit(text));
      piece = [];
    };
    for (const line of lines) {
      if (!isBoundary(line)) {
        piece.push(line);
        continue;
      }
      endPiece();
      pieces.push(line);
      isPart = !line.startsWith(`${mark}--`);
    }
    endPiece();
    // Without a preamble the body begins with a boundary line.
    return (lines[0] !== undefined && isBoundary(lines[0]) ? pieces.slice(1) : pieces).join('\r\n');
  }

  #leaf(type: string, fields: readonly Field[], body: string): string {
    const encoding = readValue(fields, 'content-transfer-encoding').toLowerCase();
    // Already declared as encoded, but invalid: a second encoding would not repair it.
    if (encoding === 'base64' || encoding === 'quoted-printable') return joinEntity(fields, body);
    const isText = type === '' || type.startsWith('text/');
    return isText
      ? joinEntity(withEncoding(fields, 'quoted-printable'), encodeQuotedPrintable(body))
      : joinEntity(withEncoding(fields, 'base64'), base64Lines(Buffer.from(body, 'latin1')));
  }
}

/** @returns `raw` itself where it is 7-bit; else a copy with its parts and fields encoded */
export const convert8bitTo7bit = (raw: Buffer): Buffer => {
  const text = withCrlf(raw).toString('latin1');
  return isSevenBit(text) ? raw : Buffer.from(new Converter().entity(text, 0), 'latin1');
};
