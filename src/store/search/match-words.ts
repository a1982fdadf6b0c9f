/** Words of a text, cut and compared as the full-text index does (FTS5's unicode61, diacritics removed). */

import type { SearchTerm } from './full-text-search.ts';

/** Words as the index cuts them. */
const WORD = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;
const NOT_ASCII = /[^\0-\x7f]/;

/** Without case and diacritics. */
export const foldText = (text: string): string => {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.normalize('NFD').replace(/\p{M}+/gu, '') : lower;
};

export const matchWords = (text: string): RegExpStringIterator<RegExpExecArray> => text.matchAll(WORD);

/** The words of a term, folded. The last of a prefix is the beginning of one. */
export const toWords = ({ text }: SearchTerm): string[] => [...matchWords(foldText(text))].map(([word]) => word);

/** Whether a folded word is one that the terms want, or begins as one of them does. */
export const createWordMatcher = (terms: readonly SearchTerm[]): ((word: string) => boolean) => {
  const whole = new Set<string>();
  const beginnings: string[] = [];
  for (const term of terms) {
    const words = toWords(term);
    const last = words.at(-1);
    if (term.prefix && last !== undefined) {
      beginnings.push(last);
      words.pop();
    }
    for (const word of words) whole.add(word);
  }
  return (word) => whole.has(word) || beginnings.some((beginning) => word.startsWith(beginning));
};
