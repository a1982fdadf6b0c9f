/** Verifies by a message's text what the index cannot answer: phrases, and prefixes longer than those it stores. */

import type { SearchQuery, SearchTerm } from './full-text-search.ts';
import { createWordMatcher, foldText, matchWords, stemOf, toPattern } from './match-words.ts';
import type { ScoredText } from './score.ts';

/** Reads a column of a message; the body, unpacked from its mail, takes the longest. */
export type ReadText = (column: keyof ScoredText) => string;

const createFolded = (read: ReadText): ReadText => {
  const folded = new Map<keyof ScoredText, string>();
  return (column) => {
    const known = folded.get(column) ?? foldText(read(column));
    folded.set(column, known);
    return known;
  };
};

/** The body last: it is read where no other column has the term. */
const COLUMNS = ['subject', 'sender', 'recipients', 'attachments', 'body'] as const;

const toTest = (term: SearchTerm): ((text: ReadText) => boolean) => {
  const columns = term.column === null ? COLUMNS : [term.column];
  if (stemOf(term) !== null) {
    const isMatch = createWordMatcher([term]);
    return (text) => columns.some((column) => matchWords(text(column)).some(([word]) => isMatch(word)));
  }
  const pattern = toPattern(term);
  return (text) => columns.some((column) => pattern.test(text(column)));
};

/**
 * @param isExact whether the index answers a term exactly
 * @returns null where it answers all of the query
 */
export const createVerifier = (
  { all, none }: Pick<SearchQuery, 'all' | 'none'>,
  isExact: (term: SearchTerm) => boolean,
): ((read: ReadText) => boolean) | null => {
  const wanted = all.filter((group) => !group.every(isExact)).map((group) => group.map(toTest));
  const excluded = none.filter((term) => !isExact(term)).map(toTest);
  if (wanted.length === 0 && excluded.length === 0) return null;
  return (read) => {
    const folded = createFolded(read);
    return wanted.every((group) => group.some((test) => test(folded))) && !excluded.some((test) => test(folded));
  };
};
