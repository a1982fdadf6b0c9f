/**
 * Scores a message from its own text alone: without counts over the index, the time of a search does not grow with the
 * number of matches. Lower ranks are better.
 */

import { DAY, type Millis } from '../../kernel/clock.ts';
import { stemWord } from '../../kernel/text/stem.ts';
import type { IndexedText, SearchTerm } from './full-text-search.ts';
import { foldText, matchWords, stemOf, toWords } from './match-words.ts';

/** A message's text by field; the first pass leaves the body out. */
export type ScoredText = Omit<IndexedText, 'mailbox'>;

type Field = keyof ScoredText;

/** A match in the subject weighs more than one in the text. */
const WEIGHTS: Readonly<Record<Exclude<Field, 'body'>, number>> = {
  subject: 5,
  sender: 3,
  attachments: 3,
  recipients: 2,
};
const FIELDS = Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[];
/** The weight of a match in the body alone. */
const BODY_WEIGHT = 1;

/** Okapi BM25's saturation and length normalization, for a body of this many words. */
const K1 = 1.2;
const B = 0.75;
const USUAL_WORDS = 200;

/** A message with twice the score precedes one that is newer by less than this. */
const DOUBLE_EVERY: Millis = 90 * DAY;

/** A term's words, with counters of their occurrences. */
interface PreparedTerm {
  column: SearchTerm['column'];
  words: { text: string; isBeginning: boolean }[];
  /** Null: only the exact words match. */
  stem: string | null;
}

export type Scorer = (text: ScoredText, createdAt: Millis) => number;

const prepare = (term: SearchTerm): PreparedTerm => {
  const words = toWords(term);
  const isLast = (at: number) => at === words.length - 1;
  return {
    column: term.column,
    words: words.map((text, at) => ({ text, isBeginning: term.prefix && isLast(at) })),
    stem: stemOf(term),
  };
};

const countWords = (text: string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const [word] of matchWords(foldText(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

/** The occurrences of the term's rarest word; 0 where one is missing. */
const occurrences = ({ words, stem }: PreparedTerm, counts: ReadonlyMap<string, number>): number => {
  if (stem !== null) {
    let times = 0;
    for (const [word, count] of counts) if (word[0] === stem[0] && stemWord(word) === stem) times += count;
    return times;
  }
  let least = Number.POSITIVE_INFINITY;
  for (const { text, isBeginning } of words) {
    let count = counts.get(text) ?? 0;
    if (isBeginning) for (const [word, times] of counts) if (word !== text && word.startsWith(text)) count += times;
    least = Math.min(least, count);
  }
  return least === Number.POSITIVE_INFINITY ? 0 : least;
};

const isIn = (term: PreparedTerm, column: Field): boolean => term.column === null || term.column === column;

/**
 * @param all the wanted groups: of each the term that matches best counts
 * @returns ranks by field weights, by how often the body has the words for its length, and by age
 */
export const createScorer = (all: readonly (readonly SearchTerm[])[]): Scorer => {
  const groups = all.map((group) => group.map(prepare));
  return (text, createdAt) => {
    const fields = FIELDS.map((field) => ({ field, counts: countWords(text[field]) }));
    const body = countWords(text.body);
    let words = 0;
    for (const times of body.values()) words += times;
    const norm = K1 * (1 - B + (B * words) / USUAL_WORDS);
    const scoreTerm = (term: PreparedTerm): number => {
      const inFields = fields.filter(({ field, counts }) => isIn(term, field) && occurrences(term, counts) > 0);
      const times = isIn(term, 'body') ? occurrences(term, body) : 0;
      const weights = inFields.map(({ field }) => WEIGHTS[field]);
      return Math.max(BODY_WEIGHT, ...weights) + (times * (K1 + 1)) / (times + norm);
    };
    const score = groups.reduce((sum, group) => sum + Math.max(...group.map(scoreTerm)), 1);
    return -(Math.log2(score) + createdAt / DOUBLE_EVERY);
  };
};

/** Converts a rank to a positive score, higher for better matches: halved with every {@link DOUBLE_EVERY} of age. */
export const toScore = (rank: number, now: Millis): number =>
  Number((2 ** (-rank - now / DOUBLE_EVERY)).toPrecision(4));
