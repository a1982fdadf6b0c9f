/**
 * Reads contacts from CSV as spreadsheets and other services write it: any delimiter, line end and charset in use. A
 * header row may be missing, and a list of one address a line is read too.
 */

import { type Address, addressKey } from '../../kernel/address.ts';
import type { Card } from '../card.ts';
import { decodeFile } from '../file-text.ts';
import { isAddressList, type NumberedRecord, readAddressLines } from './address-lines.ts';
import { findLayout, isAddress } from './columns.ts';
import { type BrokenRow, parseRecords } from './records.ts';
import { Columns, readRow } from './row-card.ts';

export const MAX_ROWS = 100_000;
const MAX_COLUMNS = 500;
/** Rows that determine the columns. */
const LOOKED_AT = 20;

export type RowProblem = 'no_email' | 'invalid_email' | 'duplicate' | 'too_many_columns';

/** Rows count from 1, with the header row and empty rows, as in a spreadsheet. */
export interface CsvContacts {
  kind: 'read';
  /** The fields that were recognised, in the order of their columns. */
  columnsUnderstood: string[];
  rows: { row: number; card: Card }[];
  /** `shown` lets a person recognise the row. */
  skipped: { row: number; reason: RowProblem; shown: string }[];
}

export type ReadCsv = CsvContacts | { kind: 'too_many_rows' } | BrokenRow;

const MAX_SHOWN = 80;

/** The filled cells of a row, as many as fit. */
const toShown = (record: readonly string[]): string =>
  record
    .slice(0, MAX_COLUMNS)
    .map((cell) => cell.slice(0, MAX_SHOWN).replace(/\s+/g, ' ').trim())
    .filter((cell) => cell !== '')
    .join(', ')
    .slice(0, MAX_SHOWN);

/** Leaves out rows with the first address of an earlier row. */
const createDuplicates = () => {
  const seen = new Set<Address>();
  return ({ channels }: Card): boolean => {
    const keys = channels.flatMap(({ kind, value }) => (kind === 'email' ? addressKey(value as Address) : []));
    if (keys[0] !== undefined && seen.has(keys[0])) return true;
    for (const key of keys) seen.add(key);
    return false;
  };
};

const readRecords = (all: readonly NumberedRecord[]): ReadCsv => {
  const first = all.slice(0, LOOKED_AT).map(({ record }) => record.slice(0, MAX_COLUMNS));
  const { columns, headerAt } = findLayout(first);
  const known = new Columns(columns);
  const result: CsvContacts = { kind: 'read', columnsUnderstood: known.fields, rows: [], skipped: [] };
  const isDuplicate = createDuplicates();
  const take = (row: number, record: readonly string[], of: Columns): void => {
    const read = readRow(record, of);
    if (read.kind === 'skipped') result.skipped.push({ row, reason: read.reason, shown: toShown(record) });
    else if (read.kind === 'card' && isDuplicate(read.card))
      result.skipped.push({ row, reason: 'duplicate', shown: toShown(record) });
    else if (read.kind === 'card') result.rows.push({ row, card: read.card });
  };
  // A cell with only several addresses is several people: a list pasted from a mail.
  const mayBeSeveral = headerAt === null || columns.length === 1;
  const single = new Columns(columns.slice(0, 1).map((column) => ({ ...column, at: 0 })));
  let people = 0;
  for (const { row, record } of headerAt === null ? all : all.slice(headerAt + 1)) {
    const filled = mayBeSeveral ? record.filter((cell) => cell.trim() !== '') : [];
    if (record.length > MAX_COLUMNS) result.skipped.push({ row, reason: 'too_many_columns', shown: toShown(record) });
    else if (filled.length > 1 && filled.every(isAddress)) {
      people += filled.length;
      if (people > MAX_ROWS) return { kind: 'too_many_rows' };
      for (const cell of filled) take(row, [cell], single);
    } else take(row, record, known);
  }
  return result;
};

/** One more than allowed, and the header row, to detect too many. */
const MOST_READ = MAX_ROWS + 2;

/** @param octets of UTF-8, UTF-16 or Windows-1252 */
export const readCsv = (octets: Uint8Array): ReadCsv => {
  const text = decodeFile(octets);
  const records = isAddressList(text) ? readAddressLines(text, MOST_READ) : parseRecords(text, MOST_READ);
  if (!Array.isArray(records)) return records;
  return records.length === MOST_READ ? { kind: 'too_many_rows' } : readRecords(records);
};
