/** Defects with an effect in other modules; all others are free text for display. */

/** Parsing failed or timed out: the body was not parsed, and is not parsed again. */
export const HEADER_ONLY = 'only the header could be read';

/** Hidden text of the HTML was left out. */
export const HIDDEN_TEXT = 'hidden text left out';
/** The content is in a form that Postroom does not open. */
export const ENCRYPTED = 'encrypted, not opened';
export const TNEF = 'TNEF (winmail.dat) not opened';

/** Stored defects are bounded: the sender determines their number, and some contain field names. */
const MAX_DEFECTS = 20;
const MAX_CHARS = 120;

/** Truncates the defects to what is stored. */
export const truncateDefects = (defects: readonly string[]): string[] =>
  defects.slice(0, MAX_DEFECTS).map((defect) => defect.slice(0, MAX_CHARS));
