/** Encoded words of header fields (RFC 2047, with RFC 2231's language suffix). */

import { decodeCharset } from '../mime/charset.ts';

const WORD = String.raw`=\?[^?\s]{1,80}\?[bBqQ]\?[^?]*\?=`;
/** A run of words: the blanks between two of them are not shown (RFC 2047 section 6.2). */
const RUN = new RegExp(`${WORD}(?:[ \\t]+${WORD})*`, 'g');
const ONE = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=/g;

/** The Q encoding, RFC 2047 section 4.2: an octet that is no code for one stands for itself. */
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
    // Senders split a character over two words, which RFC 2047 forbids: words of one charset are decoded as one.
    if (label.toLowerCase() !== charset) flush();
    charset = label.toLowerCase();
    bytes.push(encoding.toUpperCase() === 'B' ? Buffer.from(text, 'base64') : decodeQ(text));
  }
  flush();
  return shown;
};

/**
 * Decodes the encoded words of a field's value.
 * @param shown what to put in a run's place; by default its text
 */
export const decodeWords = (value: string, shown: (text: string) => string = (text) => text): string =>
  value.includes('=?') ? value.replace(RUN, (run) => shown(decodeRun(run))) : value;

/** One line without control characters, blanks folded; at most `max` characters, never half of a pair. */
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

/** Octets of text in an encoded word of 75 characters: RFC 2047 section 2. */
const WORD_OCTETS = 42;

/** Text as encoded words in UTF-8, each with whole characters. */
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
