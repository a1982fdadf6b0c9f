/**
 * Compares texts by what they say, independent of markup, the kind of white space and the punctuation of prose. Numbers are
 * compared with the punctuation within and before them, codes of letters and digits by their case, and hosts, web and mail
 * addresses by every character; signs of currency, of mathematics and check marks count, and so does where a word ends.
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
/** Punctuation that ends a word, as the hyphen of re-sign; markup and apostrophes do not. */
const WORD_END = /[\p{Pd}/&,;:.!?…]/u;
/** A letter of a script that sets spaces between words. */
const SPACED_LETTER = /(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])\p{L}/u;

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

const isSpacedLetter = (character: string | undefined): boolean =>
  character !== undefined && SPACED_LETTER.test(character);

/** @param gap in place of punctuation that ends a word */
const reduceWord = (word: string, gap: string): string => {
  if (ADDRESS.test(word)) return withoutEdges(word);
  if (DRAWN.test(word)) return '';
  return (isCode(word) ? word : word.toLowerCase())
    .replace(MARKUP, '')
    .replace(PUNCTUATION, (run, at: number, whole: string) => {
      const end = at + run.length;
      const isWithin = isDigit(whole[at - 1]) && end < whole.length;
      if (isWithin || isDigit(whole[end])) return run;
      const isEnd = WORD_END.test(run) && isSpacedLetter(whole[at - 1]) && isSpacedLetter(whole[end]);
      return run.match(SIGNS)?.join('') ?? (isEnd ? gap : '');
    });
};

/** @param gap between two words */
const reduce = (text: string, gap: string): string => {
  const words: string[] = [];
  let last: string | undefined;
  // Normalisation would make 102 of 10².
  for (const word of text
    .replace(/\p{No}/gu, '^$&')
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(LINK, '] (')
    .split(BLANKS)) {
    const reduced = word === '' ? '' : reduceWord(word, gap);
    if (reduced === '') continue;
    // 12 34 is not 123 4.
    if (isDigit(last) && NUMBER.test(reduced)) words.push(' ');
    else if (isSpacedLetter(last) && isSpacedLetter(reduced[0])) words.push(gap);
    words.push(reduced);
    last = reduced.at(-1);
  }
  return words.join('');
};

/** Reduces a text to its letters, digits and signs, wherever its words end; '' for one without. */
export const toLetters = (text: string): string => reduce(text, '');

export const isSameText = (one: string, other: string): boolean => reduce(one, ' ') === reduce(other, ' ');
