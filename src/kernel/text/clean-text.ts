/** Text in the form that every store and every format can keep. */

/** Unpaired surrogates and U+0000, which PostgreSQL cannot store, become U+FFFD. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** Control characters other than LF and TAB; RFC 6350 forbids them. */
const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** The same with LF at the ends of lines, and no control character but that and TAB. */
export const plainText = (text: string): string => text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROLS, '');

/** Embeddings, overrides and isolates of direction (Unicode Annex 9): they reorder what stands beside the text. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Right-to-left letters, and the right-to-left marks. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Isolates text, so that it cannot reorder the text around it (Unicode Annex 9). */
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
