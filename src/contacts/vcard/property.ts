/** The text of a vCard's property, in whatever charset it came. Values have one character per octet. */

import { isAscii, isUtf8 } from 'node:buffer';
import type { Property } from '../../kernel/text/content-line.ts';

const fromHex = (_: string, digits: string): string => String.fromCharCode(Number.parseInt(digits, 16));

/** UTF-8 where the octets are valid in it, else Windows-1252. */
const decodeUnnamed = (octets: Buffer): string =>
  isUtf8(octets) ? octets.toString() : new TextDecoder('windows-1252').decode(octets);

const decodeOctets = (octets: Buffer, charset: string): string => {
  try {
    return new TextDecoder(charset, { ignoreBOM: true }).decode(octets);
  } catch {
    return decodeUnnamed(octets);
  }
};

/**
 * Decodes the value. A declared charset applies to quoted-printable; other octets that are valid UTF-8 are UTF-8,
 * because the text was converted in transport.
 */
export const decodeText = ({ parameters, value }: Property): string => {
  const encoding = parameters.get('ENCODING')?.[0]?.toUpperCase();
  const isEncoded = encoding === 'QUOTED-PRINTABLE';
  const octets = Buffer.from(isEncoded ? value.replace(/=([\dA-F]{2})/gi, fromHex).replace(/=$/, '') : value, 'latin1');
  const charset = parameters.get('CHARSET')?.[0];
  if (charset !== undefined && (isEncoded || isAscii(octets) || !isUtf8(octets))) return decodeOctets(octets, charset);
  return decodeUnnamed(octets);
};
