/**
 * Compares texts by what they say, independent of markup, white space and the punctuation of prose. Numbers are compared
 * with the punctuation within and before them, codes of letters and digits by their case, and hosts, web and mail addresses
 * by every character; signs of currency, of mathematics and check marks count.
 */

/** Characters that are not displayed, save those that turn the direction of others. */
const INVISIBLE = /(?![\u202a-\u202e\u2066-\u2069])\p{Default_Ignorable_Code_Point}/gu;
const BLANKS = /[\s\0]+/u;
/** The end of a Markdown link's label and the start of its address. */
const LINK = /\]\(/g;
/** A host, a URL or a mail address. */
const ADDRESS = /[\p{L}\p{N}_-]\.(?:xn--|\p{L}{2})|\p{L}:\/\/|^mailto:|[^@]@[^@]/u;
const WORD = /[\p{L}\p{N}]/u;
/** Markup and quotation marks before a word; a `>` before a number may be a comparison. */
const MARKUP = /^(?:[*_~`"'“”„«»‘’‹›|[]|>(?!\p{N}))+/u;
/** Rules and the frames of tables. */
const DRAWN = /^[-+=|~_*#<>:.]{3,}$/;
/** Signs that change what a text says; not `|`, `~` and drawn shapes, which are markup, frames and bullets. */
const SIGNS = /(?![|~\u2500-\u25ff])[\p{Sc}\p{Sm}\p{So}%‰]/gu;
/** All but letters, digits, marks on them, emoji and changes of direction. */
const PUNCTUATION = /[^\p{L}\p{N}\p{M}\p{Emoji_Presentation}\u202a-\u202e\u2066-\u2069]+/gu;
const NUMBER = /^[^\p{L}\p{N}]*\p{N}/u;
const DIGIT = /\p{N}/u;
const LETTER = /\p{L}/u;

/** Removes the punctuation around an address. */
const withoutEdges = (word: string): string => {
  const start = word.search(WORD);
  let end = word.length;
  // Of a pair of surrogates, the second stands for both.
  while (end > start && !WORD.test(word[end - 1] ?? '') && !/[\udc00-\udfff]/.test(word[end - 1] ?? '')) end -= 1;
  return start < 0 ? '' : word.slice(start, end);
};

const isDigit = (character: string | undefined): boolean => character !== undefined && DIGIT.test(character);

/** Whether a digit follows a letter: a code or a password, of which the case counts. */
const isCode = (word: string): boolean => {
  const start = word.search(LETTER);
  return start >= 0 && DIGIT.test(word.slice(start));
};

const reduceWord = (word: string): string => {
  if (ADDRESS.test(word)) return withoutEdges(word);
  if (DRAWN.test(word)) return '';
  return (isCode(word) ? word : word.toLowerCase())
    .replace(MARKUP, '')
    .replace(PUNCTUATION, (run, at: number, whole: string) => {
      const end = at + run.length;
      const isWithin = isDigit(whole[at - 1]) && end < whole.length;
      return isWithin || isDigit(whole[end]) ? run : (run.match(SIGNS)?.join('') ?? '');
    });
};

/** Reduces a text to what {@link isSameText} compares; '' for one without letters, digits and signs. */
export const toLetters = (text: string): string => {
  const words: string[] = [];
  let endsInDigit = false;
  // Normalisation would make 102 of 10².
  for (const word of text
    .replace(/\p{No}/gu, '^$&')
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(LINK, '] (')
    .split(BLANKS)) {
    const reduced = word === '' ? '' : reduceWord(word);
    if (reduced === '') continue;
    // 12 34 is not 123 4.
    if (endsInDigit && NUMBER.test(reduced)) words.push(' ');
    words.push(reduced);
    endsInDigit = isDigit(reduced.at(-1));
  }
  return words.join('');
};

export const isSameText = (one: string, other: string): boolean => toLetters(one) === toLetters(other);
