/** Defects that others act upon; the rest are said in words and only shown. */

/** The mail broke whatever read it, or outlasted it: its body was never looked at, and should not be again. */
export const HEADER_ONLY = 'only the header could be read';

/** Text of the HTML that a person does not see was left out. */
export const HIDDEN_TEXT = 'hidden text left out';
/** Its content is in a form that is not opened. */
export const ENCRYPTED = 'encrypted, not opened';
export const TNEF = 'TNEF (winmail.dat) not opened';

/** What is kept of them: a stranger decides how many there are, and names of fields are in some. */
const MAX_DEFECTS = 20;
const MAX_CHARS = 120;

/** As they are stored. */
export const keptDefects = (defects: readonly string[]): string[] =>
  defects.slice(0, MAX_DEFECTS).map((defect) => defect.slice(0, MAX_CHARS));
