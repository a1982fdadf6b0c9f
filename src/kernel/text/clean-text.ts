/** Text in the form that every store and every format can keep. */

/** Unpaired surrogates and U+0000, which PostgreSQL has no place for, become U+FFFD. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** Control characters other than LF and TAB; RFC 6350 has no place for them. */
const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** The same with LF at the ends of lines, and no control character but that and TAB. */
export const plainText = (text: string): string => text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROLS, '');

/** Embeddings, overrides and isolates of direction (Unicode Annex 9): they reorder what stands beside the text. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** The same on one line, without what reorders the text around it. */
export const plainLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .replace(DIRECTIONS, '')
    .trim();
