/** Cells that a spreadsheet would run as a formula (CWE-1236) are written as text, with an apostrophe before them. */

/** The characters that begin a formula, in ASCII and in full width, and the blanks that spreadsheets drop before one. */
const FORMULA = '[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20]';
/** A cell that begins like a defused one takes another apostrophe, so that reading gives back what was written. */
const DANGEROUS = new RegExp(`^'*${FORMULA}`);
const DEFUSED = new RegExp(`^'+${FORMULA}`);

export const defuseFormula = (cell: string): string => (DANGEROUS.test(cell) ? `'${cell}` : cell);

export const withoutDefusal = (cell: string): string => (DEFUSED.test(cell) ? cell.slice(1) : cell);
