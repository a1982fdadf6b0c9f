/** Text in the form that every store and every format can keep. */

/** Unpaired surrogates and U+0000, which PostgreSQL has no place for, become U+FFFD. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** Control characters other than LF and TAB; RFC 6350 has no place for them. */
const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** The same with LF at the ends of lines, and no control character but that and TAB. */
export const plainText = (text: string): string => text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROLS, '');

/** Embeddings, overrides and isolates of direction (Unicode Annex 9): they reorder what stands beside the text. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Characters of scripts that are written from the right, and the marks that have their direction. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Keeps text from reordering what stands beside it, where it stands in text of the instance (Unicode Annex 9). */
export const isolated = (text: string): string => {
  const bare = text.replace(DIRECTIONS, '');
  return RIGHT_TO_LEFT.test(bare) ? `\u2068${bare}\u2069` : bare;
};

/** {@link storableText} on one line, without control characters and what reorders the text around it. */
export const plainLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .replace(DIRECTIONS, '')
    .trim();
