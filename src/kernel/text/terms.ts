/** The terms that a text is found by: words without case, diacritics and endings. */

import { foldText } from './fold.ts';
import { stemWord } from './stem.ts';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ASCII_WORD = /[a-z0-9]+/gi;
const NOT_ASCII = /[^\0-\x7f]/;
const FOLDED_WORD = /[\p{L}\p{N}]+/gu;
/** Scripts written without blanks between words: each two neighbours are a term. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const MAX_TERM = 40;

const pairsOf = (word: string): string[] => {
  const letters = [...word];
  return letters.length < 3 ? [word] : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
};

const toTerms = (folded: string): string[] => {
  if (UNSPACED.test(folded)) return pairsOf(folded);
  const cut = folded.length <= MAX_TERM ? folded : [...folded].slice(0, MAX_TERM).join('');
  return [stemWord(cut)];
};

/** Words in the cache: texts repeat a small vocabulary. */
const MAX_KNOWN = 100_000;
const MAX_KNOWN_LENGTH = 30;
const known = new Map<string, readonly string[]>();

const termsOfWord = (word: string): readonly string[] => {
  const before = known.get(word);
  if (before !== undefined) return before;
  const terms = (foldText(word).match(FOLDED_WORD) ?? []).flatMap(toTerms);
  if (word.length > MAX_KNOWN_LENGTH) return terms;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(word, terms);
  return terms;
};

/** In the order of the text, repeated as they are there. */
export const termsOf = (text: string): string[] => {
  const terms: string[] = [];
  for (const word of text.match(NOT_ASCII.test(text) ? WORD : ASCII_WORD) ?? []) terms.push(...termsOfWord(word));
  return terms;
};

/** English words that tell next to nothing about a text's subject. */
const STOPPED = new Set(
  'a about an and any are as at be been being but by can could did do does for from had has have how i if in into is it its may me my no not of on or our shall should so some such than that the their them then there these they this those to us was we were what when where whether which who whom whose why will with would you your'
    .split(' ')
    .map(stemWord),
);

export const isStopped = (term: string): boolean => STOPPED.has(term);
