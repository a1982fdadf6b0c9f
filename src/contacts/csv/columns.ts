/** Finds the content of a CSV text's columns: by a header row, else by the first row with an e-mail address. */

import { type NamedAddress, parseNamedAddress } from '../../kernel/address.ts';
import { type ColumnName, type Field, readColumnName } from './column-names.ts';

export interface Column extends ColumnName {
  /** The position in a record. */
  at: number;
}

export interface Layout {
  columns: Column[];
  /** The header record's index, from 0; null: there is none. */
  headerAt: number | null;
}

/** A longer cell is no e-mail address with a name. */
const MAX_ADDRESS = 1_000;

/** The address in a cell; null for several, because the last could take the others as its name. */
export const readAddress = (cell: string): NamedAddress | null => {
  const named = cell.length <= MAX_ADDRESS && cell.includes('@') ? parseNamedAddress(cell) : null;
  const at = named?.name?.indexOf('@') ?? -1;
  return at >= 0 && /[,;]/.test(named?.name?.slice(at) ?? '') ? null : named;
};

export const isAddress = (cell: string): boolean => readAddress(cell) !== null;

const isPhone = (cell: string): boolean => /^[+(\d][\d\s()./-]{5,30}$/.test(cell.trim());

const namedColumns = (header: readonly string[]): Column[] => {
  const columns = header.flatMap((cell, at): Column[] => {
    const name = readColumnName(cell);
    return name ? [{ ...name, at }] : [];
  });
  // Outlook's Title is the form of address, beside Job Title.
  const titles = columns.filter(({ field }) => field === 'title');
  const isSpecific = ({ at }: Column): boolean => !/^\W*title\W*$/i.test(header[at] ?? '');
  const dropped = titles.some(isSpecific) ? titles.filter((column) => !isSpecific(column)) : [];
  return columns.filter((column) => !dropped.includes(column));
};

const plain = (field: Field, at: number): Column => ({ field, label: null, group: String(at), isLabel: false, at });

/** Fields of cells that are neither address nor number, in order. */
const NAME_FIRST: readonly Field[] = ['name', 'company', 'title', 'notes'];
const NAMES_APART: readonly Field[] = ['first name', 'last name', 'company', 'title', 'notes'];

/** Guesses columns by the form of their cells. */
const guessColumns = (record: readonly string[]): Column[] => {
  const texts = record.flatMap((cell, at) => (cell.trim() !== '' && !isAddress(cell) && !isPhone(cell) ? [at] : []));
  const isWholeName = texts.length === 1 || /\S\s+\S/.test(record[texts[0] ?? 0] ?? '');
  const roles = isWholeName ? NAME_FIRST : NAMES_APART;
  return record.flatMap((cell, at): Column[] => {
    if (isAddress(cell)) return [plain('email', at)];
    if (isPhone(cell)) return [plain('phone', at)];
    const role = roles[texts.indexOf(at)];
    return role && texts.includes(at) ? [plain(role, at)] : [];
  });
};

/** The column with the most addresses; null where none has any. */
const addressColumn = (records: readonly (readonly string[])[]): Column | null => {
  const counts = new Map<number, number>();
  for (const record of records) {
    for (const [at, cell] of record.entries()) if (isAddress(cell)) counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  const [best] = [...counts].toSorted((one, other) => other[1] - one[1]);
  return best ? plain('email', best[0]) : null;
};

/** Records that are searched for the header: some services write remarks before it. */
const MAX_PREAMBLE = 10;

const hasEmail = (columns: readonly Column[]): boolean =>
  columns.some(({ field, isLabel }) => field === 'email' && !isLabel);

interface Header {
  at: number;
  columns: Column[];
}

/**
 * The header: a record with the name of an address column, before any address; else the first, or one with several
 * column names.
 */
const findHeader = (records: readonly (readonly string[])[]): Header | null => {
  const firstAddress = records.findIndex((record) => record.some(isAddress));
  const before = records.slice(0, Math.min(MAX_PREAMBLE, firstAddress < 0 ? records.length : firstAddress));
  const headers = before.map((record, at): Header => ({ at, columns: namedColumns(record) }));
  const isOfSeveral = ({ columns }: Header): boolean => columns.length > 1;
  const first = headers.find(({ at, columns }) => at === 0 && columns.length > 0);
  return headers.find(({ columns }) => hasEmail(columns)) ?? first ?? headers.find(isOfSeveral) ?? null;
};

/** @param records the first of the text */
export const findLayout = (records: readonly (readonly string[])[]): Layout => {
  const header = findHeader(records);
  if (header) {
    const { at: headerAt, columns: named } = header;
    const unnamed = hasEmail(named) ? null : addressColumn(records.slice(headerAt + 1));
    const others = unnamed ? named.filter(({ at }) => at !== unnamed.at) : named;
    return { columns: unnamed ? [unnamed, ...others] : named, headerAt };
  }
  const sample = records.find((record) => record.some(isAddress));
  return { columns: sample ? guessColumns(sample) : [], headerAt: null };
};
