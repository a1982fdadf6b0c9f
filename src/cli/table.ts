/** Text for people: aligned columns, with colour where stdout is a terminal (by util.styleText). */

import { styleText } from 'node:util';

type Cell = string | number | boolean | null;

/**
 * Untrusted text (a server's reply, a subject) must not steer the terminal: neither by control characters nor by
 * direction marks, which show `txt.exe` as `exe.txt` (UAX #9).
 */
export const printable = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]|\p{Bidi_Control}/gu, '\ufffd');

/** JSON for a terminal: characters that would steer it are escaped, so that a program reads the same text. */
export const printableJson = (document: unknown): string =>
  JSON.stringify(document, null, 2).replace(
    /[\x7f-\x9f\u2028\u2029]|\p{Bidi_Control}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const formatCell = (cell: Cell | readonly Cell[]): string => {
  if (Array.isArray(cell)) return formatCell(cell.join(', '));
  return cell === null || cell === '' ? '-' : printable(String(cell));
};

type CellsOf<Row> = { [K in keyof Row]: Row[K] extends Cell ? K : never }[keyof Row];

/** A property to show under its own name (`updated_at` as UPDATED), or a head with a property or a function. */
export type Column<Row> = CellsOf<Row> | readonly [head: string, cell: CellsOf<Row> | ((row: Row) => Cell)];

const toHead = (property: string): string => property.replace(/_at$/, '').replaceAll('_', ' ').toUpperCase();

/** @param none the line for an empty list */
export const table = <Row>(columns: readonly Column<NoInfer<Row>>[], rows: readonly Row[], none: string): string => {
  if (rows.length === 0) return none;
  const pairs = columns.map((column) =>
    typeof column === 'object' ? column : ([toHead(String(column)), column] as const),
  );
  const heads = pairs.map(([head]) => head);
  const lines = rows.map((row) =>
    pairs.map(([, cell]) => formatCell(typeof cell === 'function' ? cell(row) : (row[cell] as Cell))),
  );
  const widths = heads.map((head, at) => Math.max(head.length, ...lines.map((line) => line[at]?.length ?? 0)));
  const align = (line: readonly string[]) =>
    line
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [styleText('bold', align(heads)), ...lines.map(align)].join('\n');
};

export const yesNo = (value: unknown): string => (value ? 'yes' : 'no');

/** One record, a line for each property; a list stands in one line. */
export const details = (rows: readonly (readonly [name: string, value: Cell | readonly Cell[]])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${styleText('bold', name.padEnd(width))}  ${formatCell(value)}`).join('\n');
};
