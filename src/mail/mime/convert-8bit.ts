/**
 * A mail as every host takes it: octets below 128, lines of 998 at most (RFC 5321 section 4.5.3.1.6, RFC 6152 section 3).
 * Made before anything is signed, because who relays it might convert it after.
 */

import { encodeField } from '../header/ascii-field.ts';
import { eachField, type HeaderField, readField } from '../header/header-section.ts';
import { base64Lines } from './base64.ts';
import { withCrlf } from './crlf.ts';
import { encodeQuotedPrintable } from './quoted-printable.ts';

/** RFC 5322 section 2.1.1, the CRLF aside. */
const MAX_LINE = 998;
/** Multiparts within multiparts; what lies deeper is left as it is. */
const MAX_DEPTH = 20;
const MAX_PARTS = 1_000;

const LONG_LINE = new RegExp(`[^\\r\\n]{${MAX_LINE + 1}}`);
const needsNothing = (text: string): boolean => !/[\x80-\xff\0]/.test(text) && !LONG_LINE.test(text);

interface Field {
  /** With its line ends. */
  written: string;
  /** Null: it is none, and is left out where it cannot be sent as it is. */
  read: HeaderField | null;
}

const fieldsOf = (header: string): Field[] => {
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

/** Sets the encoding that a part says of itself. */
const withEncoding = (fields: readonly Field[], encoding: string): Field[] => {
  const others = fields.filter(({ read }) => read?.key !== 'content-transfer-encoding');
  return [...others, ...fieldsOf(`Content-Transfer-Encoding: ${encoding}\r\n`)];
};

const joined = (fields: readonly Field[], body: string): string => {
  const header = fields.map(({ written, read }) => {
    if (needsNothing(written)) return written;
    return read ? encodeField(read) : '';
  });
  return `${header.join('')}\r\n${body}`;
};

class Converter {
  #parts = 0;

  /** An entity: a message, or a part with its own header. */
  entity(text: string, depth: number): string {
    if (needsNothing(text)) return text;
    this.#parts += 1;
    const headerEnd = text.startsWith('\r\n') ? 0 : text.indexOf('\r\n\r\n') + 2;
    // Without an empty line all of it is header.
    const [header, body] = headerEnd === 1 ? [text, ''] : [text.slice(0, headerEnd), text.slice(headerEnd + 2)];
    const fields = fieldsOf(header);
    if (needsNothing(body) || depth > MAX_DEPTH || this.#parts > MAX_PARTS) return joined(fields, body);
    const type = readValue(fields, 'content-type').toLowerCase();
    // Its signature is over the octets as they are; RFC 1847 wants them of seven bits from the beginning.
    if (type.startsWith('multipart/signed')) return joined(fields, body);
    if (type.startsWith('multipart/'))
      return joined(withEncoding(fields, '7bit'), this.#multipart(fields, body, depth));
    // RFC 2046 section 5.2.1: a message within is not encoded as a whole.
    if (type.startsWith('message/rfc822') || type.startsWith('message/global')) {
      return joined(withEncoding(fields, '7bit'), this.entity(body, depth + 1));
    }
    return this.#leaf(type, fields, body);
  }

  #multipart(fields: readonly Field[], body: string, depth: number): string {
    const written = readValue(fields, 'content-type');
    const boundary = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(written);
    const name = boundary?.[1] ?? boundary?.[2];
    if (name === undefined) return this.#unreadable(body);
    const mark = `--${name}`;
    const lines = body.split('\r\n');
    const isMark = (line: string) => line.startsWith(mark) && /^(?:--)?[ \t]*$/.test(line.slice(mark.length));
    const pieces: string[] = [];
    let piece: string[] = [];
    let isPart = false;
    const endPiece = () => {
      const text = piece.join('\r\n');
      pieces.push(isPart ? this.entity(text, depth + 1) : text.replace(/[\x80-\xff]/g, '?'));
      piece = [];
    };
    for (const line of lines) {
      if (!isMark(line)) {
        piece.push(line);
        continue;
      }
      endPiece();
      pieces.push(line);
      isPart = !line.startsWith(`${mark}--`);
    }
    endPiece();
    // Where the body begins with a mark there is no preamble.
    return (lines[0] !== undefined && isMark(lines[0]) ? pieces.slice(1) : pieces).join('\r\n');
  }

  /** A multipart that does not say where its parts begin is read by nobody. */
  #unreadable(body: string): string {
    return body.replace(/[\x80-\xff]/g, '?').replace(new RegExp(LONG_LINE, 'g'), (line) => line.slice(0, MAX_LINE));
  }

  #leaf(type: string, fields: readonly Field[], body: string): string {
    const encoding = readValue(fields, 'content-transfer-encoding').toLowerCase();
    // Encoded already, and written wrongly: its reader would have to guess as much as we.
    if (encoding === 'base64' || encoding === 'quoted-printable') return joined(fields, body);
    const isText = type === '' || type.startsWith('text/');
    return isText
      ? joined(withEncoding(fields, 'quoted-printable'), encodeQuotedPrintable(body))
      : joined(withEncoding(fields, 'base64'), base64Lines(Buffer.from(body, 'latin1')));
  }
}

/** @returns the same octets where they are fit to be sent; else the mail with its parts and fields encoded */
export const convert8bitTo7bit = (raw: Buffer): Buffer => {
  const text = withCrlf(raw).toString('latin1');
  return needsNothing(text) ? raw : Buffer.from(new Converter().entity(text, 0), 'latin1');
};
