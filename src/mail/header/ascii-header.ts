/** Converts a message for hosts without SMTPUTF8: non-ASCII addresses are removed from its address fields (RFC 6857). */

import { isAscii } from 'node:buffer';
import { hasUtf8Address, withoutUtf8Addresses } from './ascii-field.ts';
import { eachField, readField, splitMessage } from './header-section.ts';

/** @returns `raw` itself where no field contains a non-ASCII address; else a copy with empty groups in their place */
export const withAsciiHeader = (raw: Buffer): Buffer => {
  const { header, body } = splitMessage(raw);
  if (isAscii(header)) return raw;
  const fields: string[] = [];
  eachField(header, (start, end) => {
    const written = header.toString('latin1', start, end);
    const field = readField(written);
    fields.push(field && hasUtf8Address(field) ? withoutUtf8Addresses(field) : written);
    return true;
  });
  return Buffer.concat([Buffer.from(`${fields.join('')}\r\n`, 'latin1'), body]);
};
