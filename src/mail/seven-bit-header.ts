/** A header field whose octets are not all ASCII, or whose lines are too long, as ASCII: RFC 2047, RFC 2231. */

import { isUtf8 } from 'node:buffer';
import { readAddressList } from './address-list.ts';
import { foldField } from './fold.ts';

/** Octets of text in an encoded word of 75 characters: RFC 2047 section 2. */
const WORD_OCTETS = 42;
const ADDRESS_FIELDS = new Set(['from', 'sender', 'reply-to', 'to', 'cc', 'resent-from', 'resent-to', 'resent-cc']);

/** 8-bit octets are UTF-8 (RFC 6532), or what they were before that: Windows-1252. */
const textOf = (latin: string): string => {
  const bytes = Buffer.from(latin, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : new TextDecoder('windows-1252').decode(bytes);
};

/** Words of RFC 2047, each with whole characters. */
const encodedWords = (text: string): string => {
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (Buffer.byteLength(word + character) > WORD_OCTETS) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  return [...words, word].map((each) => `=?UTF-8?B?${Buffer.from(each).toString('base64')}?=`).join(' ');
};

const isAscii = (text: string): boolean => !/[^\t\x20-\x7e]/.test(text);

const named = (name: string | null, address: string): string => {
  if (!name) return address;
  return isAscii(name) ? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>` : `${encodedWords(name)} <${address}>`;
};

/** RFC 2231 section 4, for the parameters of Content-Type and Content-Disposition. */
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

/**
 * @param key the field's name in lower case
 * @param written the field with its line ends, a character for each octet
 */
export const encodeField = (key: string, written: string): string => {
  const colon = written.indexOf(':');
  const name = written.slice(0, Math.max(colon, 0)).trimEnd();
  const value = textOf(written.slice(colon + 1).replace(/\r\n(?=[ \t])/g, '')).trim();
  if (!/^[\x21-\x39\x3b-\x7e]+$/.test(name)) return '';
  if (isAscii(value)) return foldField(`${name}: ${value}`);
  if (ADDRESS_FIELDS.has(key)) {
    const { addresses } = readAddressList(value);
    // RFC 6531: an address outside ASCII cannot be said otherwise; only a host with SMTPUTF8 is sent it.
    if (addresses.every(({ address }) => isAscii(address))) {
      return foldField(`${name}: ${addresses.map((each) => named(each.name, each.address)).join(', ')}`);
    }
    return `${name}: ${Buffer.from(value).toString('latin1')}\r\n`;
  }
  if (key.startsWith('content-')) {
    const encoded = parameters(value);
    return foldField(`${name}: ${isAscii(encoded) ? encoded : encodedWords(encoded)}`);
  }
  return foldField(`${name}: ${encodedWords(value)}`);
};
