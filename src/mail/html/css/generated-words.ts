/** Lists the words that a style sheet writes into a page, and detects those that are not listed. */

import { withoutEscapes } from './declarations.ts';
import { withoutComments } from './tokens.ts';

export interface GeneratedWords {
  /** Strings, and addresses of what is loaded. */
  pieces: string[];
  /** Whether these are all. */
  isWhole: boolean;
}

const STRING = `"(?:[^"\\\\\\n\\r\\f]|\\\\[^])*"|'(?:[^'\\\\\\n\\r\\f]|\\\\[^])*'`;
const CONTENT = /(?<![\w-])content\s{0,100}:/gi;
const CONTENT_VALUE = new RegExp(
  `\\s{0,100}(?:(${STRING})|none|normal|initial|inherit|unset|revert|url\\([^)]{0,4000}\\)|(?:no-)?(?:open|close)-quote)?\\s{0,100}(?:!\\s{0,9}important)?\\s{0,100}(?:$|[;}])`,
  'iy',
);
const LOADED = /(?:url\(|@import)\s{0,100}["']?([^"')]{1,2000})/gi;
const STRINGS = new RegExp(STRING, 'g');
const IN_BRACKETS = /(?:url|format|local)\([^)]{0,4000}\)/gi;
/** Properties whose strings are displayed. */
const WRITING =
  /(?<![\w-])(?:list-style(?:-type)?|quotes|text-overflow|(?:-webkit-)?hyphenate-character|(?:-webkit-)?text-emphasis(?:-style)?|string-set)\s{0,100}:([^;}]{0,2000})/gi;
/** Counters with names and signs of their own, pictures that hold words, and style sheets or fonts in an address. */
const UNREAD =
  /@counter-style|(?<![\w-])symbols\(|data:\s{0,9}(?:image\/svg|text\/css|font|application\/(?:x-)?font)|(?<![\w-])image-set\(\s{0,100}["']/i;

const countOf = (css: string): number => css.match(CONTENT)?.length ?? 0;

/** @param css of an element or an attribute; linear in its length */
export const generatedWords = (css: string): GeneratedWords => {
  const read = withoutComments(css);
  const decoded = withoutEscapes(read);
  const pieces = [...read.matchAll(LOADED)].map(([, address]) => address ?? '');
  let isWhole = !UNREAD.test(decoded) && countOf(decoded) === countOf(read);
  for (const { index, 0: property } of read.matchAll(CONTENT)) {
    CONTENT_VALUE.lastIndex = index + property.length;
    const value = CONTENT_VALUE.exec(read);
    if (value) pieces.push(withoutEscapes(value[1]?.slice(1, -1) ?? ''));
    else isWhole = false;
  }
  for (const [, value = ''] of decoded.matchAll(WRITING)) {
    const strings = value.replace(IN_BRACKETS, '').match(STRINGS) ?? [];
    if (strings.some((text) => /[\p{L}\p{N}]/u.test(text))) isWhole = false;
  }
  return { pieces, isWhole };
};
