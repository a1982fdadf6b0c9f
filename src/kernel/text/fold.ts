/** Unicode text as names are compared and words are found: case and, for words, diacritics make no difference. */

import { toNormalForm } from './normal-form.ts';

/** Characters of a word that are compared; the rest of a longer one is ignored. */
const MAX_WORD = 40;

const WORD = /[\p{L}\p{N}\p{Co}]+/gu;
/** Upper case maps the dotless i to I, which case folding keeps apart (Unicode section 5.18). */
const NOT_DOTLESS_I = /[^\u0131]+/g;

/** Without case, as full case folding: `ß` is `ss`, a final sigma a sigma. */
export const foldCase = (text: string): string =>
  toNormalForm(
    toNormalForm(text, 'NFC')
      .replace(NOT_DOTLESS_I, (part) => part.toUpperCase())
      .toLowerCase()
      .replaceAll('ς', 'σ'),
    'NFC',
  );

/** Letters with a stroke or ligature that Unicode does not decompose, and forms that upper case unites. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ς: 'σ',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ĸ: 'k',
  ŋ: 'n',
};
const HAS_PLAIN = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g');

/** @param text in lower case, without diacritics */
export const withPlainLetters = (text: string): string =>
  text.replace(HAS_PLAIN, (letter) => PLAIN_LETTERS[letter] ?? letter);

const withoutMarks = (text: string): string => toNormalForm(text, 'NFKD').replace(/\p{M}+/gu, '');

/** Without case, diacritics and compatibility forms; blanks are one space each. */
export const foldText = (text: string): string =>
  withPlainLetters(withoutMarks(foldCase(withoutMarks(text))))
    .replace(/\s+/gu, ' ')
    .trim();

/** Characters that are folded at once, up to a blank where there is one. */
const PART = /[\s\S]{1,1000}(?:\s|$)|[\s\S]{1,1000}/gu;
/** Hangul becomes three letters for one; only forms of compatibility become more, U+FDFA 18. */
const MAX_GROWTH = 4;

/** The distinct words of a text, folded, in their order; at most `most`. What folding makes too long is cut. */
export const wordsOf = (text: string, most: number): string[] => {
  const words = new Set<string>();
  let room = MAX_GROWTH * text.length;
  for (const [part] of text.matchAll(PART)) {
    if (room < 0) break;
    const folded = foldText(part);
    room -= folded.length;
    for (const [word] of folded.matchAll(WORD)) {
      if (words.size >= most) return [...words];
      words.add(truncate(word));
    }
  }
  return [...words];
};

/** Cuts at code points, never within a surrogate pair. */
const truncate = (word: string): string => (word.length <= MAX_WORD ? word : [...word].slice(0, MAX_WORD).join(''));
