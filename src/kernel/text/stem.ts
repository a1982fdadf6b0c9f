/** Words of English without their endings, by Porter's rule: engine, engines and engineering are one. */

import { stemmer } from 'stemmer';

/** Words that are stemmed alike again and again. */
const MAX_KNOWN = 20_000;
const known = new Map<string, string>();

/** @param word in lower case. Words of other letters than a to z, and of less than three, are left as they are */
export const stemWord = (word: string): string => {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const before = known.get(word);
  if (before !== undefined) return before;
  const stem = stemmer(word);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(word, stem);
  return stem;
};

/** What all words of its stem begin with: `compan` of companies and company. */
export const stemBeginning = (word: string): string => {
  const stem = stemWord(word);
  let length = 0;
  while (length < stem.length && stem[length] === word[length]) length += 1;
  const shared = word.slice(0, length);
  // A `y` that ends a word is an `i` in its stem.
  const beginning = shared.endsWith('i') && length === stem.length ? shared.slice(0, -1) : shared;
  return beginning.length < 3 ? word : beginning;
};
