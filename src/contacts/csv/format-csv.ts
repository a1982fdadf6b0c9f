/** Writes contacts as CSV (RFC 4180) for spreadsheets: UTF-8 with a byte order mark, without formulas. */

import type { Card, CardChannel } from '../card.ts';
import { ADDRESS_FIELDS } from './column-names.ts';
import { defuseFormula } from './formulas.ts';

/** Separates several values in one cell, as in Google's export. */
const VALUE_SEPARATOR = ' ::: ';

/** Columns of e-mail addresses, and as many of phone numbers; the last one holds the rest. */
const PLACES = 3;

const listValues = ({ channels }: Card, kind: CardChannel['kind']): string[] => {
  const values = channels.filter((channel) => channel.kind === kind).map(({ value }) => value);
  const single = values.slice(0, PLACES - 1);
  return [...single, values.slice(PLACES - 1).join(VALUE_SEPARATOR), ...Array<string>(PLACES).fill('')].slice(
    0,
    PLACES,
  );
};

const COLUMNS: readonly string[] = [
  'email',
  'email 2',
  'email 3',
  'first name',
  'last name',
  'preferred name',
  'company',
  'title',
  'phone',
  'phone 2',
  'phone 3',
  ...ADDRESS_FIELDS,
  'domains',
  'notes',
];

/** Writes only the first address; vCard has all. */
const toCells = (card: Card): (string | null | undefined)[] => {
  const [address] = card.addresses;
  const email = listValues(card, 'email');
  const phone = listValues(card, 'phone');
  return [
    // A value goes to the first free column.
    ...email.filter((value) => value !== ''),
    ...email.filter((value) => value === ''),
    card.givenName,
    card.familyName,
    card.preferredName,
    card.companyName,
    card.jobTitle,
    ...phone.filter((value) => value !== ''),
    ...phone.filter((value) => value === ''),
    address?.poBox,
    address?.extended,
    address?.street,
    address?.locality,
    address?.region,
    address?.postalCode,
    address?.country,
    card.domains.join(VALUE_SEPARATOR),
    card.notes,
  ];
};

const formatCell = (text: string): string => {
  const cell = defuseFormula(text);
  return /[",;\t\r\n']/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
};

const formatRow = (cells: readonly (string | null | undefined)[]): string =>
  `${cells.map((cell) => formatCell(cell ?? '')).join(',')}\r\n`;

export const CSV_HEADER = `\ufeff${formatRow(COLUMNS)}`;

export const formatCsvRow = (card: Card): string => formatRow(toCells(card));
