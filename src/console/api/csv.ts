/** Writes rows as CSV (RFC 4180). */

/** Quotes the value, and defuses a formula by an apostrophe (CWE-1236), also behind what a spreadsheet may divide by. */
const toCell = (value: string | number): string => {
  const text =
    typeof value === 'string' ? value.replace(/(^|[;\t\r\n])(?=[=+\-@])|^(?=[\t\r])/g, "$1'") : String(value);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const toCsv = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
