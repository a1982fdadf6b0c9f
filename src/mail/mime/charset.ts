/**
 * Decodes charsets: those of the platform, then those of older mail that it lacks. Octets that are invalid in the
 * declared charset are decoded by a likely one. Senders label Latin text as UTF-8, declare the charset in a `meta`
 * element, or do not declare it.
 */

import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import iconv from 'iconv-lite';

/** Bounds the cache, because labels come from senders. */
const MAX_DECODERS = 64;
const decoders = new Map<string, TextDecoder | null>();

const findDecoder = (label: string): TextDecoder | null => {
  const known = decoders.get(label);
  if (known !== undefined) return known;
  let decoder: TextDecoder | null = null;
  try {
    decoder = new TextDecoder(label);
  } catch {
    decoder = null;
  }
  if (decoders.size < MAX_DECODERS) decoders.set(label, decoder);
  return decoder;
};

/** Labels that name no charset (RFC 1428), and some that are wrong. */
const UNNAMED = /^(?:|unknown-?8bit|x-unknown|unknown|8bit|7bit|binary|default|_autodetect\w*|x-user-defined)$/;
const ALIASES: Record<string, string> = {
  ansi: 'windows-1252',
  'x-windows-949': 'euc-kr',
  cp936: 'gbk',
  ms936: 'gbk',
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  cp950: 'big5',
  'utf-8-sig': 'utf-8',
  utf8mb4: 'utf-8',
};

const ESCAPE = 0x1b;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const LF = 0x0a;
const TILDE = 0x7e;

/** Decodes RFC 1557: Korean between SO and SI, as EUC-KR without its high bits; its designator is removed. */
const decodeIso2022Kr = (octets: Uint8Array): string => {
  const plain = Buffer.alloc(octets.length);
  let length = 0;
  let isKorean = false;
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    if (octet === ESCAPE && octets[at + 1] === 0x24 && octets[at + 2] === 0x29) at += 3;
    else if (octet === SHIFT_OUT || octet === SHIFT_IN) isKorean = octet === SHIFT_OUT;
    else {
      if (octet === LF) isKorean = false;
      plain[length++] = isKorean && octet > 0x20 ? octet | 0x80 : octet;
    }
  }
  return decodeCharset(plain.subarray(0, length), 'euc-kr');
};

/** Decodes RFC 1843: Chinese between `~{` and `~}`, as GB 2312 without its high bits. */
const decodeHz = (octets: Uint8Array): string => {
  const plain = Buffer.alloc(octets.length);
  let length = 0;
  let isChinese = false;
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    const next = octets[at + 1];
    if (octet === TILDE && (next === 0x7b || next === 0x7d || next === TILDE || next === LF)) {
      at += 1;
      if (next === TILDE) plain[length++] = TILDE;
      else if (next !== LF) isChinese = next === 0x7b;
    } else {
      if (octet === LF) isChinese = false;
      plain[length++] = isChinese && octet > 0x20 ? octet | 0x80 : octet;
    }
  }
  return decodeCharset(plain.subarray(0, length), 'gbk');
};

const LEGACY_DECODERS: Record<string, (octets: Uint8Array) => string> = {
  'iso-2022-kr': decodeIso2022Kr,
  'hz-gb-2312': decodeHz,
  hz: decodeHz,
};

const toLabel = (charset: string): string => {
  const label = charset.trim().toLowerCase();
  return ALIASES[label] ?? label;
};

/** Whether a charset is decoded natively: by the platform, or by one of the single-pass decoders above. */
export const isFastCharset = (charset: string): boolean => {
  const label = toLabel(charset);
  return UNNAMED.test(label) || label in LEGACY_DECODERS || findDecoder(label) !== null;
};

/** Decodes probable UTF-8; falls back to Windows-1252 where invalid sequences outnumber valid non-ASCII characters. */
export const decodeUnnamed = (octets: Uint8Array): string => {
  const text = (findDecoder('utf-8') as TextDecoder).decode(octets);
  if (isUtf8(octets)) return text;
  let broken = 0;
  let whole = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken += 1;
    else if (code > 0x7f) whole += 1;
  }
  return broken > whole ? (findDecoder('windows-1252') as TextDecoder).decode(octets) : text;
};

/** Decodes octets of a charset; guesses where the charset is unknown or the octets are invalid in it. */
export const decodeCharset = (octets: Uint8Array, charset: string): string => {
  const label = toLabel(charset);
  if (UNNAMED.test(label)) return decodeUnnamed(octets);
  const decode = LEGACY_DECODERS[label];
  if (decode) return decode(octets);
  const decoder = findDecoder(label);
  if (decoder?.encoding === 'utf-8' || (decoder && label.endsWith('ascii'))) return decodeUnnamed(octets);
  // The platform's EUC-KR lacks the syllables that Windows added.
  if (decoder?.encoding === 'euc-kr') return iconv.decode(Buffer.from(octets), 'cp949');
  if (decoder) return decoder.decode(octets);
  return iconv.encodingExists(label) ? iconv.decode(Buffer.from(octets), label) : decodeUnnamed(octets);
};

/** Octets of an HTML part that are searched for a charset declaration (HTML section 13.2.3.2). */
const PRESCAN = 4096;
const META =
  /<meta\s[^>]{0,300}?charset\s{0,8}=\s{0,8}["']?\s{0,8}([\w.:-]{1,40})|<\?xml[^>]{0,100}encoding\s{0,8}=\s{0,8}["']([\w.:-]{1,40})/i;

/** Reads the charset that HTML declares; null without one, or where the octets contradict it (UTF-16, UTF-32). */
const readHtmlCharset = (octets: Uint8Array): string | null => {
  const start = Buffer.from(octets.buffer, octets.byteOffset, Math.min(octets.length, PRESCAN)).toString('latin1');
  const match = META.exec(start);
  const charset = match?.[1] ?? match?.[2] ?? null;
  return charset !== null && /^utf-?(?:16|32)/i.test(charset) ? null : charset;
};

/** Decodes a text part. @param charset as declared by the part's header; null without a declaration */
export const decodePart = (octets: Uint8Array, charset: string | null, isHtml: boolean): string => {
  const isNamed = charset !== null && !UNNAMED.test(toLabel(charset));
  if (isNamed) return decodeCharset(octets, charset);
  const inHtml = isHtml && !isAscii(octets) && !isUtf8(octets) ? readHtmlCharset(octets) : null;
  return decodeCharset(octets, inHtml ?? '');
};
