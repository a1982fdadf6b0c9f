/** Removes the endings of English words by Porter's rule: engine, engines and engineering have one stem. */

import { stemmer } from 'stemmer';

/** Stems in the cache. */
const MAX_KNOWN = 20_000;
const known = new Map<string, string>();

/** @param word in lower case; a word with letters other than a to z, or of less than three, stays as it is */
export const stemWord = (word: string): string => {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const before = known.get(word);
  if (before !== undefined) return before;
  const stem = stemmer(word);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(word, stem);
  return stem;
};

/** The beginning that all words of a stem share: `compan` of companies and company. */
export const stemBeginning = (word: string): string => {
  const stem = stemWord(word);
  let length = 0;
  while (length < stem.length && stem[length] === word[length]) length += 1;
  const shared = word.slice(0, length);
  // A `y` that ends a word is an `i` in its stem.
  const beginning = shared.endsWith('i') && length === stem.length ? shared.slice(0, -1) : shared;
  return beginning.length < 3 ? word : beginning;
};
