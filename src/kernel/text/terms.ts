/** The terms that a text is found by: words without case, diacritics and endings. */

import { foldText } from './fold.ts';
import { stemWord } from './stem.ts';

const WORD = /[\p{L}\p{N}]+/gu;
/** Scripts written without blanks between words: each two neighbours are a term. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const MAX_TERM = 40;

const pairsOf = (word: string): string[] => {
  const letters = [...word];
  return letters.length < 3 ? [word] : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
};

const toTerms = (word: string): string[] => {
  if (UNSPACED.test(word)) return pairsOf(word);
  const cut = word.length <= MAX_TERM ? word : [...word].slice(0, MAX_TERM).join('');
  return [stemWord(cut)];
};

/** In the order of the text, repeated as they are there. */
export const termsOf = (text: string): string[] => (foldText(text).match(WORD) ?? []).flatMap(toTerms);

/** Words that say next to nothing of what a text is about, in English. */
const STOPPED = new Set(
  'a about an and any are as at be been being but by can could did do does for from had has have how i if in into is it its may me my no not of on or our shall should so some such than that the their them then there these they this those to us was we were what when where whether which who whom whose why will with would you your'
    .split(' ')
    .map(stemWord),
);

export const isStopped = (term: string): boolean => STOPPED.has(term);
