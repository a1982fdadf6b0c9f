/** Defuses cells that a spreadsheet would run as a formula (CWE-1236), by an apostrophe. */

/** The first characters of formulas, in ASCII and in full width. */
const START = '=+\\-@\uff1d\uff0b\uff0d\uff20';
/** With the blanks that spreadsheets drop before one. */
const FORMULA = `[${START}\\t\\r\\n]`;
/** A cell that looks defused gets another apostrophe, so that reading restores the original. */
const DANGEROUS = new RegExp(`^'*${FORMULA}`);
const DEFUSED = new RegExp(`^'+${FORMULA}`);

/**
 * Separators of programs with another delimiter than the comma, such as a German Excel, which ignores quotes within a
 * cell: the next characters begin a cell there.
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
