/** The records of a CSV text (RFC 4180), and of what else is called so: divided by comma, semicolon, tab or vertical bar. */

import { CsvError, type Options } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import type { NumberedRecord } from './address-lines.ts';

/** Characters of one row. An unclosed quote would otherwise make one row of the file. */
const MAX_ROW_CHARS = 256 * 1024;
const OPTIONS: Options = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  max_record_size: MAX_ROW_CHARS,
};

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Characters and records that the delimiter is told from. */
const SAMPLE = 64 * 1024;
const MAX_SAMPLE_RECORDS = 20;
/** Excel's own line that names the delimiter. */
const DIRECTIVE = /^sep=([,;\t|])\r?\n/i;

/** How often it stands in each of the first records, outside quotes. */
const countDelimiter = (text: string, delimiter: string): number[] => {
  const counts: number[] = [];
  const count = (record: string[]): null => {
    counts.push(record.length - 1);
    return null;
  };
  try {
    parse(text.slice(0, SAMPLE), { ...OPTIONS, delimiter, to: MAX_SAMPLE_RECORDS, on_record: count });
  } catch (error) {
    // The sample may end within quotes.
    if (!(error instanceof CsvError)) throw error;
  }
  return counts;
};

/** The delimiter that most records have as often as the first; among equals the more frequent. A comma where none has any. */
const findDelimiter = (text: string): string => {
  const scores = DELIMITERS.map((delimiter) => {
    const counts = countDelimiter(text, delimiter);
    const [first = 0] = counts;
    return { delimiter, first, agreeing: first === 0 ? 0 : counts.filter((count) => count === first).length };
  });
  const [best] = scores.toSorted((one, other) => other.agreeing - one.agreeing || other.first - one.first);
  return best?.delimiter ?? ',';
};

/** `row` cannot be read: it has an unclosed quote, or more than 262 144 characters. */
export interface BrokenRow {
  kind: 'broken';
  row: number;
}

interface Counts {
  records: number;
  empty_lines: number;
}

const BROKEN = new Set(['CSV_QUOTE_NOT_CLOSED', 'CSV_MAX_RECORD_SIZE']);

const toBroken = (error: unknown): BrokenRow => {
  if (!(error instanceof CsvError) || !BROKEN.has(error.code)) throw error;
  const { records = 0, empty_lines: empty = 0 } = error as unknown as Partial<Counts>;
  return { kind: 'broken', row: records + empty + 1 };
};

/** Up to the first line that is longer than a row may be, which is made too long for the library: it counts no delimiters. */
const withinLines = (text: string): string => {
  for (let from = 0; from + MAX_ROW_CHARS < text.length; ) {
    const row = text.slice(from, from + MAX_ROW_CHARS);
    const end = Math.max(row.lastIndexOf('\n'), row.lastIndexOf('\r'));
    if (end < 0) return text.slice(0, from) + 'x'.repeat(2 * MAX_ROW_CHARS);
    from += end + 1;
  }
  return text;
};

/** @param most records that are read; empty lines count only in the numbering */
export const parseRecords = (whole: string, most: number): NumberedRecord[] | BrokenRow => {
  const [line = '', named] = DIRECTIVE.exec(whole) ?? [];
  const text = withinLines(whole.slice(line.length));
  try {
    const options: Options = { ...OPTIONS, delimiter: named ?? findDelimiter(text), to: most, info: true };
    const parsed = parse(text, options) as unknown as { info: Counts; record: string[] }[];
    return parsed.map(({ info, record }) => ({ row: info.records + info.empty_lines, record }));
  } catch (error) {
    return toBroken(error);
  }
};
