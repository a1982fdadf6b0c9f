/** Splits a query over contacts or notes into words, each cut to the beginning that all words of its stem share. */

import { ApiError } from '../errors.ts';
import { wordsOf } from './fold.ts';
import { stemBeginning } from './stem.ts';

/** Further words would be looked up for every row of a walk. */
const MAX_QUERY_WORDS = 10;

/** Folded, each once. @throws ApiError invalid_request for more than {@link MAX_QUERY_WORDS} */
export const queryWords = (text: string): string[] => {
  const words = wordsOf(text, MAX_QUERY_WORDS + 1);
  if (words.length <= MAX_QUERY_WORDS) return [...new Set(words.map(stemBeginning))];
  throw new ApiError('invalid_request', { hint: `Search for at most ${MAX_QUERY_WORDS} words.` });
};
