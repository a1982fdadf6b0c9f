/** Text for people: aligned columns, with colour where stdout is a terminal (util.styleText sees to that). */

import { styleText } from 'node:util';

export type Cell = string | number | boolean | null;

/**
 * What came from outside (a server's reply, a subject) must not steer the terminal: neither by control characters, nor by
 * those that turn the direction of the text behind them, so that `exe.txt` is read where `txt.exe` stands (UAX #9).
 */
export const printable = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]|\p{Bidi_Control}/gu, '\ufffd');

const formatCell = (cell: Cell): string => (cell === null || cell === '' ? '-' : printable(String(cell)));

/** @param none the line that stands for an empty list */
export const table = (head: readonly string[], rows: readonly (readonly Cell[])[], none: string): string => {
  if (rows.length === 0) return none;
  const cells = rows.map((row) => row.map(formatCell));
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [styleText('bold', line(head)), ...cells.map(line)].join('\n');
};

/** One thing, a line for each of its properties. */
export const details = (rows: readonly (readonly [name: string, value: Cell])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${styleText('bold', name.padEnd(width))}  ${formatCell(value)}`).join('\n');
};
