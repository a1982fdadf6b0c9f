/** Encodes a header field with non-ASCII octets or overlong lines as ASCII (RFC 2047, RFC 2231). */

import { isAscii as isAsciiBytes } from 'node:buffer';
import { readAddressList } from './address-list.ts';
import { encodeWords, looksEncoded } from './encoded-words.ts';
import { foldField } from './fold.ts';
import { eachField, type HeaderField, readField, splitMessage } from './header-section.ts';

const ADDRESS_FIELDS = new Set(['from', 'sender', 'reply-to', 'to', 'cc', 'resent-from', 'resent-to', 'resent-cc']);

const isAscii = (text: string): boolean => !/[^\t\x20-\x7e]/.test(text);

const named = (name: string | null, address: string): string => {
  if (!name) return address;
  return isAscii(name) && !looksEncoded(name)
    ? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`
    : `${encodeWords(name)} <${address}>`;
};

/** @returns the field with its line ends; its addresses may be of other characters than ASCII */
export const formatMailboxes = (
  field: string,
  mailboxes: readonly { name: string | null; address: string }[],
): string => foldField(`${field}: ${mailboxes.map(({ name, address }) => named(name, address)).join(', ')}`);

/** Whether a field contains a non-ASCII address, which only a host with SMTPUTF8 accepts (RFC 6531 section 3.4). */
const hasUtf8Address = ({ key, value }: HeaderField): boolean =>
  ADDRESS_FIELDS.has(key) && !isAscii(value) && readAddressList(value).addresses.some((each) => !isAscii(each.address));

/** Replaces each non-ASCII address by an empty group that is named after it: displayed, but not replied to (RFC 6857). */
const withoutUtf8Addresses = ({ name, value }: HeaderField): string => {
  const { addresses } = readAddressList(value);
  const written = addresses.map((each) =>
    isAscii(each.address) ? named(each.name, each.address) : `${encodeWords(each.address)} :;`,
  );
  return foldField(`${name}: ${written.join(', ')}`);
};

/** Encodes parameters of Content-Type and Content-Disposition (RFC 2231 section 4). */
const parameters = (value: string): string =>
  value.replace(
    /;\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g,
    (whole, name: string, quoted?: string, bare?: string) => {
      const text = quoted?.replace(/\\(.)/g, '$1') ?? bare ?? '';
      if (isAscii(text)) return whole;
      const escaped = [...Buffer.from(text)].map((octet) => {
        const character = String.fromCharCode(octet);
        return /[A-Za-z0-9._-]/.test(character) ? character : `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
      });
      return `; ${name}*=utf-8''${escaped.join('')}`;
    },
  );

/** @returns the field with its line ends, one character per octet */
export const encodeField = (field: HeaderField): string => {
  const { name, key, value } = field;
  if (isAscii(value)) return foldField(`${name}: ${value}`);
  if (ADDRESS_FIELDS.has(key)) {
    // A non-ASCII address has no ASCII form.
    if (hasUtf8Address(field)) return Buffer.from(foldField(`${name}: ${value}`)).toString('latin1');
    return formatMailboxes(name, readAddressList(value).addresses);
  }
  if (key.startsWith('content-')) {
    const encoded = parameters(value);
    return foldField(`${name}: ${isAscii(encoded) ? encoded : encodeWords(encoded)}`);
  }
  return foldField(`${name}: ${encodeWords(value)}`);
};

/**
 * For hosts without SMTPUTF8: removes non-ASCII addresses from the address fields (RFC 6857).
 * @returns `raw` itself where it has none; else a copy with empty groups in their place
 */
export const withAsciiHeader = (raw: Buffer): Buffer => {
  const { header, body } = splitMessage(raw);
  if (isAsciiBytes(header)) return raw;
  const fields: string[] = [];
  eachField(header, (start, end) => {
    const written = header.toString('latin1', start, end);
    const field = readField(written);
    fields.push(field && hasUtf8Address(field) ? withoutUtf8Addresses(field) : written);
    return true;
  });
  return Buffer.concat([Buffer.from(`${fields.join('')}\r\n`, 'latin1'), body]);
};
