/** Keeps the characters of a text that a reader sees; others could carry hidden words or change their order. */

/** Those that shape letters and emoji stay: joiners and variation selectors. */
const SHAPING = '\\u200c|\\u200d|\\ufe0e|\\ufe0f|\\n|\\t';
const UNSEEN = new RegExp(
  `(?!${SHAPING})[\\p{Default_Ignorable_Code_Point}\\p{Cs}\\p{Cc}\\ufff9-\\ufffb\\u200e\\u200f\\u061c]`,
  'gu',
);
/** Embeddings, overrides, isolates and marks (Unicode Annex 9). */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** More blanks than indent a line would move words off the screen. */
const MAX_BLANKS = 40;
const BLANKS = new RegExp(`([\\t\\p{Zs}]{${MAX_BLANKS}})[\\t\\p{Zs}]+`, 'gu');
const PLAIN = /^[\n\x20-\x7e]*$/;

/**
 * Tags, zero-width characters and fillers, which carry hidden words, and characters that reorder words (UTS 39, UAX
 * 9).
 */
const CONCEALING =
  /[\u{e0000}-\u{e0fff}\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\u115f\u1160\u3164\uffa0\ufff9-\ufffb]/gu;

/** Writes such characters of a plain text as code points, for reviewers; joiners, marks and emoji stay. */
export const showConcealed = (text: string): string =>
  text.replace(CONCEALING, (char) => `[U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`);

export const hasBidiControls = (text: string): boolean => BIDI.test(text);

export const cleanText = (text: string): string => {
  if (PLAIN.test(text) && !text.includes(' '.repeat(MAX_BLANKS))) return text;
  return text.replace(/\r\n?/g, '\n').replace(UNSEEN, '').replace(BLANKS, '$1');
};
