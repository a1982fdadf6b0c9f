/** Words of a text: cut, folded and compared by one rule, here and in the full-text index. */

import { withPlainLetters } from '../../kernel/text/fold.ts';
import { toNormalForm } from '../../kernel/text/normal-form.ts';
import { stemWord } from '../../kernel/text/stem.ts';
import type { SearchTerm } from './full-text-search.ts';

const LETTER = '[\\p{L}\\p{N}\\p{Co}\\p{M}]';
/** Scripts without blanks between words: each character is a word. */
const UNSPACED =
  '[[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]' +
  `&&${LETTER}]`;
const SPACED = `[${LETTER}--${UNSPACED}]`;
const WORD = new RegExp(`${SPACED}+|${UNSPACED}\\p{M}*`, 'gv');
const IS_UNSPACED = new RegExp(`^${UNSPACED}`, 'v');
const NOT_ASCII = /[^\0-\x7f]/;
/** The same, of a text that is folded and all ASCII: quicker. */
const ASCII_WORD = /[a-z0-9]+/g;

/** Without case and diacritics. */
export const foldText = (text: string): string => {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower) ? withPlainLetters(toNormalForm(lower, 'NFD').replace(/\p{M}+/gu, '')) : lower;
};

export const matchWords = (text: string): RegExpStringIterator<RegExpExecArray> => text.matchAll(WORD);

/** The words of a term, folded. The last of a prefix is the beginning of one. */
export const toWords = ({ text }: SearchTerm): string[] => [...matchWords(foldText(text))].map(([word]) => word);

/** Matches the term's words in sequence, in a folded text. */
export const toPattern = (term: SearchTerm): RegExp => {
  const words = toWords(term);
  const between = (one: string, other: string): string =>
    `[^${LETTER}]${IS_UNSPACED.test(one) || IS_UNSPACED.test(other) ? '*' : '+'}`;
  const sequence = words.map((word, at) => (at === 0 ? '' : between(words[at - 1] ?? '', word)) + word).join('');
  const start = IS_UNSPACED.test(sequence) ? '' : `(?<!${SPACED})`;
  const end = term.prefix || IS_UNSPACED.test(words.at(-1) ?? '') ? '' : `(?!${SPACED})`;
  return new RegExp(start + sequence + end, 'v');
};

/** The stem of a term; null: only the exact words match. */
export const stemOf = (term: SearchTerm): string | null => {
  const [word, ...more] = term.stems && !term.prefix ? toWords(term) : [];
  return word === undefined || more.length > 0 ? null : stemWord(word);
};

/** A text as it is indexed. */
export interface IndexedWords {
  /** Its folded words, each once. */
  readonly words: string;
  /** Their stems that are other words than they, each once. */
  readonly stems: string;
}

export const toIndexedWords = (text: string): IndexedWords => {
  const words = new Set<string>();
  const stems = new Set<string>();
  const folded = foldText(text);
  for (const word of folded.match(NOT_ASCII.test(folded) ? WORD : ASCII_WORD) ?? []) {
    if (words.has(word)) continue;
    words.add(word);
    const stem = stemWord(word);
    if (stem !== word) stems.add(stem);
  }
  return { words: [...words].join(' '), stems: [...stems].join(' ') };
};

/** Whether a folded word equals one of the terms, or begins with a prefix. */
export const createWordMatcher = (terms: readonly SearchTerm[]): ((word: string) => boolean) => {
  const whole = new Set<string>();
  const stems = new Set<string>();
  const beginnings: string[] = [];
  for (const term of terms) {
    const stem = stemOf(term);
    if (stem !== null) stems.add(stem);
    const words = toWords(term);
    const last = words.at(-1);
    if (term.prefix && last !== undefined) {
      beginnings.push(last);
      words.pop();
    }
    for (const word of words) whole.add(word);
  }
  return (word) =>
    whole.has(word) ||
    (stems.size > 0 && stems.has(stemWord(word))) ||
    beginnings.some((beginning) => word.startsWith(beginning));
};

/** A term as it stands in a text: its words in sequence. */
export interface MatchedTerm {
  /** Number of its words, at least 1. */
  readonly length: number;
  /** @param wordAt the folded words of the text, from 0 to `length` - 1 */
  isAt(wordAt: (at: number) => string): boolean;
}

export const toMatchedTerms = (terms: readonly SearchTerm[]): MatchedTerm[] =>
  terms.flatMap((term): MatchedTerm[] => {
    const words = toWords(term);
    const last = words.length - 1;
    const isLast = createWordMatcher([{ ...term, text: words[last] ?? '', stems: stemOf(term) !== null }]);
    const isAt: MatchedTerm['isAt'] = (wordAt) =>
      isLast(wordAt(last)) && words.every((word, at) => at === last || word === wordAt(at));
    return last < 0 ? [] : [{ length: words.length, isAt }];
  });
