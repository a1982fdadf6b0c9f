/**
 * The short way for the plainest of mails: one text part, in UTF-8 or ASCII, not a file. Much of the mail that agents get is
 * such, and setting up the MIME parser's streams costs ten times what reading it does. All else takes the long way.
 */

import { isUtf8 } from 'node:buffer';
import type { HeaderField } from './header-section.ts';

const TEXT_TYPE = /^text\/(plain|html)\s{0,4}(?:;\s{0,4}charset\s{0,4}=\s{0,4}"?(?:utf-?8|us-ascii)"?\s{0,4};?)?$/i;
const UNENCODED = /^(?:7bit|8bit|binary)?$/i;
const QUOTED_PRINTABLE = /^quoted-printable$/i;

/** RFC 2045 section 6.7: blanks at a line's end were added on the way, an `=` there joins two lines. */
const decodeQuotedPrintable = (body: Buffer): Buffer => {
  const lines = body.toString('latin1').split('\n');
  let text = '';
  lines.forEach((line, index) => {
    const bare = line.trimEnd();
    if (bare.endsWith('=')) text += bare.slice(0, -1);
    else text += index < lines.length - 1 ? `${bare}\n` : bare;
  });
  const octets = text.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(octets, 'latin1');
};

/** The text of such a mail, with bare LF; null where the mail is of another kind. */
export const readSingleText = (fields: HeaderField[], body: Buffer): { html: boolean; content: string } | null => {
  let type = 'text/plain';
  let types = 0;
  let encoding = '';
  for (const { key, value } of fields) {
    if (!key.startsWith('content-')) continue;
    if (key === 'content-disposition') return null;
    if (key === 'content-transfer-encoding') encoding = value;
    if (key === 'content-type') {
      type = value;
      types += 1;
    }
  }
  const kind = TEXT_TYPE.exec(type)?.[1];
  if (kind === undefined || types > 1 || !(UNENCODED.test(encoding) || QUOTED_PRINTABLE.test(encoding))) return null;
  const bytes = QUOTED_PRINTABLE.test(encoding) ? decodeQuotedPrintable(body) : body;
  if (!isUtf8(bytes)) return null;
  const content = bytes.toString('utf8').replaceAll('\r\n', '\n');
  return { html: kind.toLowerCase() === 'html', content };
};
