/** The records of a CSV text (RFC 4180), and of what else is called so. */

import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import type { NumberedRecord } from './address-lines.ts';
import { findDelimiter } from './delimiter.ts';

/** Characters of one row. A quote that is never closed would make one row of the whole file. */
const MAX_ROW_CHARS = 256 * 1024;

/** `row` cannot be read: a quote in it is not closed, or it has more than 262 144 characters. */
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

/** @param most records that are read; empty lines count in their numbers alone */
export const parseRecords = (whole: string, most: number): NumberedRecord[] | BrokenRow => {
  const { text, delimiter } = findDelimiter(whole);
  try {
    const parsed = parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: MAX_ROW_CHARS,
      to: most,
      info: true,
    }) as unknown as { info: Counts; record: string[] }[];
    return parsed.map(({ info, record }) => ({ row: info.records + info.empty_lines, record }));
  } catch (error) {
    return toBroken(error);
  }
};
