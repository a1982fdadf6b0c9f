/**
 * Writes a composed tree of parts at once. The library's own `build` passes each part through several streams, which takes
 * three times as long for a mail of a few KB.
 */

import * as base64 from 'nodemailer/lib/base64';
import type MimeNode from 'nodemailer/lib/mime-node';
import * as qp from 'nodemailer/lib/qp';
import { asBuffer } from '../../kernel/text/octets.ts';

/** Octets from another thread are no Buffer, and the library's encoders would write them as numbers. */
const toOctets = (content: string | Uint8Array): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : asBuffer(content);

const encodeContent = (content: Buffer, encoding: string | false): string | Buffer => {
  if (encoding === 'quoted-printable') return qp.wrap(qp.encode(content));
  return encoding === 'base64' ? base64.wrap(base64.encode(content)) : content;
};

const PARAMETERS = /^Content-(?:Type|Disposition):.*(?:\r\n[ \t].*)+/gm;
const QUOTED = /"(?:[^"\\]|\\.)*"/gs;
/** A fold, save between encoded words, which may be long. */
const FOLD = /(?<!\?=)\r\n(?=[ \t])/g;

/** The library folds inside of quotes too. Python's parser, as it is by default, then gives a file's name with a line break. */
const withWholeNames = (headers: string): string =>
  headers.replace(PARAMETERS, (field) => field.replace(QUOTED, (quoted) => quoted.replace(FOLD, '')));

const write = (part: MimeNode, written: Buffer[]): void => {
  const add = (text: string | Buffer): void => {
    if (text.length > 0) written.push(typeof text === 'string' ? Buffer.from(text) : text);
  };
  // Before the header, into which it is written.
  const encoding = part.getTransferEncoding();
  add(`${withWholeNames(part.buildHeaders())}\r\n\r\n`);
  if (part.content !== undefined) add(encodeContent(toOctets(part.content as string | Uint8Array), encoding));
  if (!part.multipart) return;
  for (const [at, child] of part.childNodes.entries()) {
    add(`${at > 0 ? '\r\n' : ''}--${part.boundary}\r\n`);
    write(child, written);
  }
  add(`\r\n--${part.boundary}--\r\n`);
};

const CRLF = Buffer.from('\r\n');
const LF = 0x0a;

/** @param root of texts and octets alone: no files, addresses or streams */
export const writeMime = (root: MimeNode): Buffer => {
  const written: Buffer[] = [];
  write(root, written);
  if (written.at(-1)?.at(-1) !== LF) written.push(CRLF);
  return Buffer.concat(written);
};
