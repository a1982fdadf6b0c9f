/** Words of a text, cut and compared as the full-text index does (FTS5's unicode61, diacritics removed). */

import { stemWord } from '../../kernel/text/stem.ts';
import type { SearchTerm } from './full-text-search.ts';

/** Words as the index cuts them. */
const WORD = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;
const NOT_ASCII = /[^\0-\x7f]/;
const ASCII_WORD = /[a-z0-9]+/gi;

/** Without case and diacritics. */
export const foldText = (text: string): string => {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.normalize('NFD').replace(/\p{M}+/gu, '') : lower;
};

export const matchWords = (text: string): RegExpStringIterator<RegExpExecArray> => text.matchAll(WORD);

/** The words of a term, folded. The last of a prefix is the beginning of one. */
export const toWords = ({ text }: SearchTerm): string[] => [...matchWords(foldText(text))].map(([word]) => word);

/** The stem that a term wants; null: it wants the very words. */
export const stemOf = (term: SearchTerm): string | null => {
  const [word, ...more] = term.stems && !term.prefix ? toWords(term) : [];
  return word === undefined || more.length > 0 ? null : stemWord(word);
};

/** Marks a stem in the index, so that it is no word of a phrase, and none that a prefix begins. */
const STEM_MARK = '\ue000';
export const markStem = (stem: string): string => `${STEM_MARK}${stem}`;

/** The stems of a text's words that are other words than they, marked, each once. */
export const markedStems = (text: string): string => {
  const seen = new Set<string>();
  const stems = new Set<string>();
  for (const [word] of NOT_ASCII.test(text) ? matchWords(foldText(text)) : text.matchAll(ASCII_WORD)) {
    const lower = word.toLowerCase();
    if (seen.has(lower)) continue;
    seen.add(lower);
    const stem = stemWord(lower);
    if (stem !== lower) stems.add(markStem(stem));
  }
  return [...stems].join(' ');
};

/** Whether a folded word is one that the terms want, or begins as one of them does. */
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
