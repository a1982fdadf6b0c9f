/** Writes rows as CSV (RFC 4180). */

/** Where a formula may begin, in ASCII or full width: also behind what a spreadsheet may divide by, with its quotes. */
const FORMULA = /(^|[;|\t\r\n]"*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r\n])/g;

/** Quotes the value, and defuses a formula by an apostrophe (CWE-1236), as contacts are written. */
const toCell = (value: string | number): string => {
  const text = typeof value === 'string' ? value.replace(FORMULA, "$1'") : String(value);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const toCsv = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
