/** The Porter stemmer: words of English without their endings (M. F. Porter, An algorithm for suffix stripping, 1980). */

const CONSONANT = '[^aeiou]';
const VOWEL = '[aeiouy]';
const CONSONANTS = `${CONSONANT}[^aeiouy]*`;
const VOWELS = `${VOWEL}[aeiou]*`;

/** The measure m of the paper: sequences of vowels followed by consonants. */
const M_ABOVE_0 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}`);
const M_IS_1 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}(?:${VOWELS})?$`);
const M_ABOVE_1 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
const HAS_VOWEL = new RegExp(`^(?:${CONSONANTS})?${VOWEL}`);
const IS_SHORT = new RegExp(`^${CONSONANTS}${VOWEL}[^aeiouwxy]$`);

const STEP_2: readonly (readonly [RegExp, string])[] = Object.entries({
  ...{ ational: 'ate', tional: 'tion', enci: 'ence', anci: 'ance', izer: 'ize', bli: 'ble', alli: 'al', entli: 'ent' },
  ...{ eli: 'e', ousli: 'ous', ization: 'ize', ation: 'ate', ator: 'ate', alism: 'al', iveness: 'ive', fulness: 'ful' },
  ...{ ousness: 'ous', aliti: 'al', iviti: 'ive', biliti: 'ble', logi: 'log' },
}).map(([ending, instead]) => [new RegExp(`^(.+?)${ending}$`), instead]);

const STEP_3: readonly (readonly [RegExp, string])[] = Object.entries({
  ...{ icate: 'ic', ative: '', alize: 'al', iciti: 'ic', ical: 'ic', ful: '', ness: '' },
}).map(([ending, instead]) => [new RegExp(`^(.+?)${ending}$`), instead]);

const STEP_4 = /^(.+?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$|^(.+?[st])(ion)$/;

const replaceEnding = (word: string, endings: typeof STEP_2): string => {
  for (const [pattern, instead] of endings) {
    const stem = pattern.exec(word)?.[1];
    if (stem !== undefined) return M_ABOVE_0.test(stem) ? stem + instead : word;
  }
  return word;
};

const withoutPlural = (word: string): string => {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
};

const withoutPast = (word: string): string => {
  const eed = /^(.+?)eed$/.exec(word)?.[1];
  if (eed !== undefined) return M_ABOVE_0.test(eed) ? word.slice(0, -1) : word;
  const stem = /^(.+?)(?:ed|ing)$/.exec(word)?.[1];
  if (stem === undefined || !HAS_VOWEL.test(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (/([^aeiouylsz])\1$/.test(stem)) return stem.slice(0, -1);
  return IS_SHORT.test(stem) ? `${stem}e` : stem;
};

const withoutSuffix = (word: string): string => {
  const found = STEP_4.exec(word);
  const stem = found?.[1] ?? found?.[3];
  return stem !== undefined && M_ABOVE_1.test(stem) ? stem : word;
};

const withoutE = (word: string): string => {
  const stem = /^(.+?)e$/.exec(word)?.[1];
  if (stem === undefined) return word;
  return M_ABOVE_1.test(stem) || (M_IS_1.test(stem) && !IS_SHORT.test(stem)) ? stem : word;
};

const computeStem = (word: string): string => {
  // A `y` that begins a word is a consonant.
  const isY = word.startsWith('y');
  let stem = isY ? `Y${word.slice(1)}` : word;
  stem = withoutPast(withoutPlural(stem));
  const beforeY = /^(.+?)y$/.exec(stem)?.[1];
  if (beforeY !== undefined && HAS_VOWEL.test(beforeY)) stem = `${beforeY}i`;
  stem = withoutE(withoutSuffix(replaceEnding(replaceEnding(stem, STEP_2), STEP_3)));
  if (/ll$/.test(stem) && M_ABOVE_1.test(stem)) stem = stem.slice(0, -1);
  return isY ? `y${stem.slice(1)}` : stem;
};

/** Words that are stemmed alike again and again. */
const MAX_KNOWN = 20_000;
const known = new Map<string, string>();

/** @param word in lower case. Words of other letters than a to z, and of less than three, are left as they are */
export const stemWord = (word: string): string => {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const before = known.get(word);
  if (before !== undefined) return before;
  const stem = computeStem(word);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(word, stem);
  return stem;
};
