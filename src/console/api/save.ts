/** Saves data of the page as a file. */

export const save = (parts: readonly string[], { name, type }: { name: string; type: string }): void => {
  const url = URL.createObjectURL(new Blob([...parts], { type: `${type};charset=utf-8` }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  // The browser has started the download by the next turn.
  setTimeout(() => URL.revokeObjectURL(url));
};

/** Quotes the value, and defuses a formula by an apostrophe (CWE-1236). */
const toCell = (value: string | number): string => {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const toCsv = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
