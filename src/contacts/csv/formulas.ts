/** Cells that a spreadsheet would run as a formula (CWE-1236) are written as text, with an apostrophe before them. */

/** The characters that begin a formula, in ASCII and in full width. */
const START = '=+\\-@\uff1d\uff0b\uff0d\uff20';
/** With the blanks that spreadsheets drop before one. */
const FORMULA = `[${START}\\t\\r\\n]`;
/** A cell that begins like a defused one takes another apostrophe, so that reading gives back what was written. */
const DANGEROUS = new RegExp(`^'*${FORMULA}`);
const DEFUSED = new RegExp(`^'+${FORMULA}`);

/**
 * What divides cells in a program that takes another delimiter than the comma, as a German Excel does: it knows no quotes
 * within a cell, and what follows begins a cell of its own.
 */
const DIVIDER = '[;|\\t\\r\\n]"*';
const DANGEROUS_WITHIN = new RegExp(`(${DIVIDER})('*)(?=[${START}])`, 'g');
const DEFUSED_WITHIN = new RegExp(`(${DIVIDER})'('*)(?=[${START}])`, 'g');

export const defuseFormula = (cell: string): string => {
  const within = cell.replace(DANGEROUS_WITHIN, "$1'$2");
  return DANGEROUS.test(cell) ? `'${within}` : within;
};

export const withoutDefusal = (cell: string): string =>
  (DEFUSED.test(cell) ? cell.slice(1) : cell).replace(DEFUSED_WITHIN, '$1$2');
