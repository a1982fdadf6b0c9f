/**
 * Extracts the passage around a match. FTS5's snippet() is not used: its time grows with the square of the matches, so
 * one mail with a word repeated a hundred thousand times would delay every search.
 */

import type { SearchTerm } from './full-text-search.ts';
import { createWordMatcher, foldText, type MatchedTerm, matchWords, toMatchedTerms } from './match-words.ts';

const EXCERPT_WORDS = 32;
/** Words of the excerpt before the first match. */
const WORDS_BEFORE = 8;
/** Words after the first match that are searched for a passage with more of the terms. */
const LOOKED_AT = 200;

interface Word {
  at: number;
  end: number;
  folded: string;
  isMatch: boolean;
}

/** A term, and the place of its first word in the text. */
interface Match {
  term: MatchedTerm;
  from: number;
}

interface Passage {
  words: Word[];
  hasMore: boolean;
}

/** The passage with the most terms; of these the first. Null without a match. */
const findWords = (text: string, searched: readonly SearchTerm[]): Passage | null => {
  const terms = toMatchedTerms(searched);
  const isOfTerms = createWordMatcher(searched);
  const words: Word[] = [];
  let recent: Match[] = [];
  let best = { terms: 0, from: 0 };
  let stopAt = Number.POSITIVE_INFINITY;
  for (const { 0: word, index } of matchWords(text)) {
    if (words.length > stopAt) break;
    const folded = foldText(word);
    words.push({ at: index, end: index + word.length, folded, isMatch: false });
    if (!isOfTerms(folded)) continue;
    const to = words.length - 1;
    for (const term of terms) {
      const from = to + 1 - term.length;
      if (from < 0 || !term.isAt((at) => words[from + at]?.folded ?? '')) continue;
      for (const matched of words.slice(from)) matched.isMatch = true;
      recent = [...recent.filter((match) => match.from > to - (EXCERPT_WORDS - WORDS_BEFORE)), { term, from }];
      const found = new Set(recent.map((match) => match.term)).size;
      if (found <= best.terms) continue;
      if (best.terms === 0) stopAt = to + LOOKED_AT;
      best = { terms: found, from: Math.max(0, Math.min(...recent.map((match) => match.from)) - WORDS_BEFORE) };
      const end = best.from + EXCERPT_WORDS;
      stopAt = found === terms.length ? end : Math.max(stopAt, end);
    }
  }
  if (best.terms === 0) return null;
  const end = best.from + EXCERPT_WORDS;
  return { words: words.slice(best.from, end), hasMore: words.length > end };
};

/** Matches side by side are marked as one. */
const marked = (text: string, words: readonly Word[]): string => {
  let passage = '';
  let at = words[0]?.at ?? 0;
  let isOpen = false;
  for (const word of words) {
    const between = text.slice(at, word.at);
    if (isOpen && !(word.isMatch && /^\s*$/.test(between))) {
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
const findPassage = (text: string, terms: readonly SearchTerm[]): string | null => {
  const passage = findWords(text, terms);
  if (passage === null) return null;
  const { words, hasMore } = passage;
  const before = text.slice(0, words[0]?.at);
  return `${/[\p{L}\p{N}]/u.test(before) ? '…' : ''}${marked(text, words)}${hasMore ? '…' : ''}`;
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
  const ofBody = terms.filter(({ column }) => column === null);
  const ofSubject = terms.filter(({ column }) => column === null || column === 'subject');
  const snippet = withoutAsterisks(mail.snippet);
  const inBody = findPassage(withoutAsterisks(mail.body), ofBody);
  const inSubject = inBody === null ? findPassage(withoutAsterisks(mail.subject), ofSubject) : null;
  return (inBody ?? (inSubject === null ? snippet : `${inSubject} — ${snippet}`)).replace(/\s+/g, ' ').trim();
};
