/**
 * Lays out the text of a page: separates blocks by lines, marks quotes and lists. A table row becomes one line with tabs
 * between its cells, as a browser's `innerText`, if each cell fits one line. Other rows are written cell after cell.
 */

import { createLines, type Lines } from './text-lines.ts';

/** Limits of a cell that shares its row's line: characters, and lines for a data table. */
const MAX_CELL = 400;
const MAX_CELL_LINES = 4;
/** Two longer cells in a row are columns of prose, which are written one after the other. */
const PROSE = 100;
/** Nested rows that are joined at once; layouts nest tables a dozen deep. */
const MAX_ROWS = 64;
/** Nesting levels that are marked; bounds the length that marks add to a line. */
const MAX_QUOTES = 10;
const MAX_INDENTS = 8;
const RULE = '-'.repeat(10);

interface Row {
  cells: string[];
  /** The open cell: its lines so far, '' for a blank one. Null between cells, and once the row no longer fits one line. */
  cell: { lines: string[]; chars: number; writer: Lines } | null;
  isJoined: boolean;
  table: Table;
}

interface Table {
  /** Whether the table is data, not layout: it has header cells or a border. */
  isData: boolean;
  /** Null between rows. */
  row: Row | null;
}

/** @param maxChars of the result; text beyond is left out */
export const createLayout = (maxChars: number) => {
  const lines: string[] = [];
  let chars = 0;
  let quotes = 0;
  const lists: { next: number | null }[] = [];
  let marker: string | null = null;

  /** Quote depth of the last line: a blank line between two depths has the smaller. */
  let lastQuotes = 0;

  const prefix = (level: number): string => (level === 0 ? '' : `${'>'.repeat(Math.min(level, MAX_QUOTES))} `);
  const indent = (): string => {
    const depth = Math.min(lists.length, MAX_INDENTS);
    if (depth === 0) return '';
    const before = '  '.repeat(depth - 1);
    const mark = marker ?? '  ';
    marker = null;
    return before + mark;
  };
  const page = createLines((line, blanks) => {
    if (chars > maxChars) return;
    if (blanks > 0) lines.push(prefix(Math.min(quotes, lastQuotes)).trimEnd());
    lastQuotes = quotes;
    const written = `${prefix(quotes)}${indent()}${line}`;
    lines.push(written);
    chars += written.length + 1;
  });

  const tables: Table[] = [];
  /** Rows with their cells on one line, outermost first; text goes to the open cell of the last one. */
  const rows: Row[] = [];
  const writer = (): Lines => rows.findLast(({ cell }) => cell !== null)?.cell?.writer ?? page;

  /** Ending the line may unjoin its row; the break then repeats in the writer that receives the next text. */
  const breakLine = (atLeast: 1 | 2): void => {
    const before = writer();
    before.breakLine(atLeast);
    if (writer() !== before) writer().breakLine(atLeast);
  };
  const writeLine = (line: string): void => {
    writer().asWritten(line);
    breakLine(1);
  };
  /** Writes a row that does not fit one line as blocks, one per cell. */
  const unjoin = (row: Row): void => {
    const cell = row.cell;
    row.isJoined = false;
    row.cell = null;
    rows.splice(rows.indexOf(row), 1);
    for (const text of row.cells) writeBlock([text]);
    row.cells = [];
    if (cell) writeBlock(cell.lines);
  };
  const writeBlock = (block: readonly string[]): void => {
    breakLine(1);
    for (const line of block) {
      if (line === '') breakLine(2);
      else writeLine(line);
    }
  };
  /** A quote, list or rule does not fit one line: writes all enclosing rows as blocks. */
  const flow = (): void => {
    while (rows.length > 0) {
      const row = rows.at(-1) as Row;
      const pending = row.cell;
      pending?.writer.end();
      if (row.isJoined) unjoin(row);
    }
  };

  const createCell = (row: Row): NonNullable<Row['cell']> => {
    const cell: NonNullable<Row['cell']> = {
      lines: [],
      chars: 0,
      writer: createLines((line, blanks) => {
        if (blanks > 0) cell.lines.push('');
        cell.lines.push(line);
        cell.chars += line.length;
        const fits = cell.lines.length <= (row.table.isData ? MAX_CELL_LINES : 1);
        if (!fits || cell.chars > MAX_CELL) unjoin(row);
      }),
    };
    return cell;
  };

  const closeCell = (row: Row): void => {
    const { cell } = row;
    if (!cell) {
      if (!row.isJoined) breakLine(2);
      return;
    }
    cell.writer.end();
    if (row.cell !== cell) return;
    row.cell = null;
    row.cells.push(cell.lines.filter((line) => line !== '').join(' '));
  };

  const joined = ({ cells, table }: Row): string => {
    const kept = table.isData ? cells : cells.filter((text) => text !== '');
    return kept.join('\t').trimEnd();
  };
  const closeRow = (table: Table): void => {
    const { row } = table;
    if (!row) return;
    closeCell(row);
    table.row = null;
    if (!row.isJoined) {
      breakLine(2);
      return;
    }
    if (row.cells.filter((text) => text.length > PROSE).length > 1) {
      unjoin(row);
      breakLine(2);
      return;
    }
    rows.splice(rows.indexOf(row), 1);
    breakLine(1);
    writeLine(joined(row));
  };
  const openRow = (table: Table): Row => {
    closeRow(table);
    const isJoined = rows.length < MAX_ROWS;
    const row: Row = { cells: [], cell: null, isJoined, table };
    table.row = row;
    breakLine(1);
    if (isJoined) rows.push(row);
    return row;
  };

  return {
    text: (text: string, preformatted: boolean): void => {
      if (!preformatted) {
        writer().text(text);
        return;
      }
      for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
        if (index > 0) writer().lineBreak();
        writer().asWritten(line);
      }
    },
    space: (): void => writer().space(),
    block: breakLine,
    lineBreak: (): void => writer().lineBreak(),
    rule: (): void => {
      flow();
      page.breakLine(1);
      page.text(RULE);
      page.breakLine(1);
    },
    openQuote: (): void => {
      flow();
      page.breakLine(2);
      quotes += 1;
    },
    closeQuote: (): void => {
      flow();
      page.breakLine(2);
      quotes = Math.max(0, quotes - 1);
    },
    /** @param start the first number; null for bullets */
    openList: (start: number | null): void => {
      flow();
      page.breakLine(lists.length === 0 ? 2 : 1);
      lists.push({ next: start });
    },
    closeList: (): void => {
      flow();
      lists.pop();
      page.breakLine(lists.length === 0 ? 2 : 1);
      marker = null;
    },
    /** @param number its own; null: the next */
    item: (number: number | null): void => {
      const list = lists.at(-1);
      breakLine(1);
      if (!list) return;
      flow();
      if (list.next !== null && number !== null) list.next = number;
      marker = list.next === null ? '- ' : `${list.next}. `;
      if (list.next !== null) list.next += 1;
    },
    openTable: (isData: boolean): void => {
      breakLine(2);
      tables.push({ isData, row: null });
    },
    closeTable: (): void => {
      const table = tables.at(-1);
      if (!table) return;
      closeRow(table);
      tables.pop();
      breakLine(2);
    },
    openRow: (): void => {
      const table = tables.at(-1);
      if (table) openRow(table);
    },
    closeRow: (): void => {
      const table = tables.at(-1);
      if (table) closeRow(table);
    },
    openCell: (isHeader: boolean): void => {
      const table = tables.at(-1);
      if (!table) return;
      if (isHeader) table.isData = true;
      const row = table.row ?? openRow(table);
      if (row.isJoined) row.cell = createCell(row);
      else breakLine(1);
    },
    closeCell: (): void => {
      const row = tables.at(-1)?.row;
      if (row) closeCell(row);
    },
    /** Returns the text; no other call may follow. */
    end: (): string => {
      flow();
      page.end();
      return lines.join('\n').slice(0, maxChars);
    },
    /** Whether `maxChars` are reached. */
    get isFull(): boolean {
      return chars > maxChars;
    },
  };
};
