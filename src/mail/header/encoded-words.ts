/** Encodes and decodes encoded words of header fields (RFC 2047, with the language suffix of RFC 2231). */

import { decodeCharset } from '../mime/charset.ts';

const WORD = String.raw`=\?[^?\s]{1,80}\?[bBqQ]\?[^?]*\?=`;
/** Adjacent encoded words: the blanks between two of them are not displayed (RFC 2047 section 6.2). */
const RUN = new RegExp(`${WORD}(?:[ \\t]+${WORD})*`, 'g');
const ONE = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=/g;

/** Decodes the Q encoding (RFC 2047 section 4.2). An octet that is not part of a valid escape is kept. */
const decodeQ = (text: string): Buffer =>
  Buffer.from(
    text
      .replace(/_/g, ' ')
      .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

const decodeRun = (run: string): string => {
  let shown = '';
  let charset = '';
  let bytes: Buffer[] = [];
  const flush = (): void => {
    if (bytes.length > 0) shown += decodeCharset(Buffer.concat(bytes), charset);
    bytes = [];
  };
  for (const [, label = '', encoding = '', text = ''] of run.matchAll(ONE)) {
    // Some senders split a character over two words, against RFC 2047: adjacent words of one charset are decoded
    // together.
    if (label.toLowerCase() !== charset) flush();
    charset = label.toLowerCase();
    bytes.push(encoding.toUpperCase() === 'B' ? Buffer.from(text, 'base64') : decodeQ(text));
  }
  flush();
  return shown;
};

/**
 * Decodes the encoded words of a field's value.
 * @param shown maps the decoded text of adjacent words to its replacement; by default the text itself
 */
export const decodeWords = (value: string, shown: (text: string) => string = (text) => text): string =>
  value.includes('=?') ? value.replace(RUN, (run) => shown(decodeRun(run))) : value;

/** Folds blanks and control characters into one line of at most `max` UTF-16 units, without splitting a surrogate pair. */
export const oneLine = (text: string, max: number): string => {
  if (text.length <= max && !/[^\x20-\x7e]| {2}/.test(text)) return text.trim();
  const folded = text
    .slice(0, max * 4)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return folded.length <= max
    ? folded
    : folded
        .slice(0, max)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd();
};

/** Whether a mail program may decode a part of the text: it is written as an encoded word itself (RFC 2047 section 5). */
export const looksEncoded = (text: string): boolean => text.includes('=?');

/** Octets of text in an encoded word of 75 characters (RFC 2047 section 2). */
const WORD_OCTETS = 42;

/** Encodes text as UTF-8 encoded words, each with whole characters. */
export const encodeWords = (text: string): string => {
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
