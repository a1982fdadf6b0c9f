/**
 * Extracts the passage around a match. FTS5's snippet() is not used: its time grows with the square of the matches, so
 * one mail with a word repeated a hundred thousand times would delay every search.
 */

import type { SearchTerm } from './full-text-search.ts';
import { createWordMatcher, foldText, matchWords } from './match-words.ts';

const EXCERPT_WORDS = 32;
/** Words of the excerpt before the first match. */
const WORDS_BEFORE = 8;

interface Word {
  at: number;
  end: number;
  isMatch: boolean;
}

/** The first match with the words around it; null without one. */
const wordsAroundMatch = (text: string, isMatch: (word: string) => boolean): Word[] | null => {
  const words: Word[] = [];
  let firstMatch = -1;
  for (const { 0: word, index } of matchWords(text)) {
    const found = { at: index, end: index + word.length, isMatch: isMatch(foldText(word)) };
    words.push(found);
    if (firstMatch < 0 && found.isMatch) firstMatch = Math.min(words.length - 1, WORDS_BEFORE);
    if (firstMatch < 0 && words.length > WORDS_BEFORE) words.shift();
    if (firstMatch >= 0 && words.length > EXCERPT_WORDS) break;
  }
  return firstMatch < 0 ? null : words;
};

/** Matches side by side are marked as one. */
const marked = (text: string, words: readonly Word[]): string => {
  let passage = '';
  let at = words[0]?.at ?? 0;
  let isOpen = false;
  for (const word of words) {
    const between = text.slice(at, word.at);
    if (isOpen && !(word.isMatch && /^\s+$/.test(between))) {
      passage += '**';
      isOpen = false;
    }
    passage += between;
    if (word.isMatch && !isOpen) {
      passage += '**';
      isOpen = true;
    }
    passage += text.slice(word.at, word.end);
    at = word.end;
  }
  return isOpen ? `${passage}**` : passage;
};

/** @returns null where nothing of the text matches */
const findPassage = (text: string, isMatch: (word: string) => boolean): string | null => {
  const words = wordsAroundMatch(text, isMatch);
  if (words === null) return null;
  const hasMore = words.length > EXCERPT_WORDS;
  const shown = words.slice(0, EXCERPT_WORDS);
  const opening = (shown[0]?.at ?? 0) > 0 && /[\p{L}\p{N}]/u.test(text.slice(0, shown[0]?.at)) ? '…' : '';
  return `${opening}${marked(text, shown)}${hasMore ? '…' : ''}`;
};

/** Removes the text's own asterisks, which would read as marks; between two words one becomes a blank. */
const withoutAsterisks = (text: string): string =>
  text.replace(/(?<=[\p{L}\p{N}\p{Co}\p{M}])\*+(?=[\p{L}\p{N}\p{Co}\p{M}])/gu, ' ').replaceAll('*', '');

/**
 * @param terms the wanted ones
 * @returns plain text on one line, matched words between `**`; of a mail that matched elsewhere, its snippet
 */
export const toExcerpt = (
  mail: { subject: string; body: string; snippet: string },
  terms: readonly SearchTerm[],
): string => {
  const ofBody = createWordMatcher(terms.filter(({ column }) => column === null));
  const ofSubject = createWordMatcher(terms.filter(({ column }) => column === null || column === 'subject'));
  const snippet = withoutAsterisks(mail.snippet);
  const inBody = findPassage(withoutAsterisks(mail.body), ofBody);
  const inSubject = inBody === null ? findPassage(withoutAsterisks(mail.subject), ofSubject) : null;
  return (inBody ?? (inSubject === null ? snippet : `${inSubject} — ${snippet}`)).replace(/\s+/g, ' ').trim();
};
