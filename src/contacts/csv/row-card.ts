/** A card from one row of a CSV text. */

import { type Address, parseDomain } from '../../kernel/address.ts';
import { type Card, type CardChannel, emptyCard, type PostalAddress, trimmedText } from '../card.ts';
import { splitName } from '../split-name.ts';
import { type AddressField, type Field, isAddressField } from './column-names.ts';
import { type Column, isAddress, readAddress } from './columns.ts';
import { withoutDefusal } from './formulas.ts';

export type RowCard =
  | { kind: 'card'; card: Card }
  | { kind: 'skipped'; reason: 'no_email' | 'invalid_email' }
  /** Every cell is empty. */
  | { kind: 'blank' };

const ADDRESS_PARTS: Record<AddressField, Exclude<keyof PostalAddress, 'label'>> = {
  'po box': 'poBox',
  'extended address': 'extended',
  street: 'street',
  city: 'locality',
  region: 'region',
  'postal code': 'postalCode',
  country: 'country',
};

/** Values of one cell, and columns of one field: more than any contact has. */
const MAX_VALUES = 100;
const MAX_COLUMNS = 50;
/** A longer cell holds no list of values. */
const MAX_LIST = 10_000;

/** Splits several values in a cell; not a cell that is one address, because a name may contain a comma. */
const splitValues = (cell: string | null, separators: RegExp): string[] => {
  if (cell === null) return [];
  const values = isAddress(cell) || cell.length > MAX_LIST ? [cell] : cell.split(separators, MAX_VALUES);
  return values.map((value) => value.trim()).filter((value) => value !== '');
};

/** Google marks the default with an asterisk, and writes its own labels in title case. */
const labelText = (text: string | null): string | null => {
  const label = text?.replace(/^\*\s*/, '') ?? '';
  if (label === '') return null;
  const lower = label.toLowerCase();
  // Outlook's `E-mail Type`.
  if (lower === 'smtp' || lower === 'ex') return null;
  if (lower === 'mobile') return 'cell';
  return ['home', 'work', 'other', 'fax', 'pager', 'cell'].includes(lower) ? lower : label;
};

/** Outlook's `Business Street 2` is a line of that address; a second address has more than a street. */
const joinLines = (addresses: Map<string, Column[]>): Map<string, Column[]> => {
  for (const [group, columns] of addresses) {
    const first = addresses.get(group.replace(/ ?\d+$/, ''));
    if (!first || first === columns || columns.some(({ field }) => field !== 'street')) continue;
    first.push(...columns);
    addresses.delete(group);
  }
  return addresses;
};

/** The columns of a text by content. */
export class Columns {
  readonly #byField: ReadonlyMap<Field, readonly Column[]>;
  /** Columns that label others, by {@link labelKey}. */
  readonly #labels: ReadonlyMap<string, Column>;
  readonly #addresses: readonly (readonly Column[])[];

  constructor(columns: readonly Column[]) {
    const values = columns.filter(({ isLabel }) => !isLabel);
    this.#byField = new Map(
      [...Map.groupBy(values, ({ field }) => field)].map(([field, of]) => [field, of.slice(0, MAX_COLUMNS)]),
    );
    this.#labels = new Map(columns.filter(({ isLabel }) => isLabel).map((column) => [labelKey(column), column]));
    const parts = values.filter(({ field }) => isAddressField(field));
    this.#addresses = [...joinLines(Map.groupBy(parts, ({ group }) => group)).values()].slice(0, MAX_COLUMNS);
  }

  /** In the order of the text. */
  get fields(): Field[] {
    return [...this.#byField.keys()];
  }

  of(field: Field): readonly Column[] {
    return this.#byField.get(field) ?? [];
  }

  labelOf(column: Column): Column | undefined {
    return this.#labels.get(labelKey(column));
  }

  /** For each postal address, its columns. */
  get addresses(): readonly (readonly Column[])[] {
    return this.#addresses;
  }
}

/** A postal address has one label for all of its parts. */
const labelKey = ({ field, group }: Column): string => `${isAddressField(field) ? 'address' : field} ${group}`;

/** A row's cells by their columns. */
class Row {
  readonly #record: readonly string[];
  readonly #columns: Columns;

  constructor(record: readonly string[], columns: Columns) {
    this.#record = record;
    this.#columns = columns;
  }

  text({ at }: Column): string | null {
    const cell = this.#record[at];
    return cell ? trimmedText(withoutDefusal(cell.trim())) : null;
  }

  columns(field: Field): readonly Column[] {
    return this.#columns.of(field);
  }

  first(field: Field): string | null {
    for (const column of this.#columns.of(field)) {
      const text = this.text(column);
      if (text !== null) return text;
    }
    return null;
  }

  /** The label of a column's value: from a label column, else from the column's name. */
  label(column: Column): string | null {
    const own = this.#columns.labelOf(column);
    return (own && labelText(this.text(own))) ?? column.label;
  }

  addresses(): PostalAddress[] {
    return this.#columns.addresses.flatMap((columns) => {
      const address: PostalAddress = {
        poBox: null,
        extended: null,
        street: null,
        locality: null,
        region: null,
        postalCode: null,
        country: null,
        label: null,
      };
      for (const column of columns) address[ADDRESS_PARTS[column.field as AddressField]] ??= this.text(column);
      const streets = columns.filter(({ field }) => field === 'street').flatMap((column) => this.text(column) ?? []);
      if (streets.length > 1) address.street = streets.join('\n');
      const isEmpty = Object.values(address).every((part) => part === null);
      return isEmpty || !columns[0] ? [] : [{ ...address, label: this.label(columns[0]) }];
    });
  }
}

const readEmails = (row: Row) => {
  const names = new Map<Address, string | null>();
  const channels: CardChannel[] = [];
  let isGiven = false;
  for (const column of row.columns('email')) {
    const values = splitValues(row.text(column), /:::|[;,\n]/);
    isGiven ||= values.length > 0;
    for (const value of values) {
      const named = readAddress(value);
      if (!named || names.has(named.address)) continue;
      names.set(named.address, named.name);
      channels.push({ kind: 'email', value: named.address, label: row.label(column) });
    }
  }
  return { names: [...names.values()], channels, isGiven };
};

const readPhones = (row: Row): CardChannel[] =>
  row.columns('phone').flatMap((column) =>
    splitValues(row.text(column), /:::|[;\n]/).map((value): CardChannel => {
      return { kind: 'phone', value, label: row.label(column) };
    }),
  );

export const readRow = (record: readonly string[], columns: Columns): RowCard => {
  if (record.every((cell) => cell.trim() === '')) return { kind: 'blank' };
  const row = new Row(record, columns);
  const emails = readEmails(row);
  if (emails.channels.length === 0) return { kind: 'skipped', reason: emails.isGiven ? 'invalid_email' : 'no_email' };
  const fullName = row.first('name') ?? emails.names.flatMap((name) => (name && trimmedText(name)) ?? [])[0] ?? null;
  const card: Card = {
    ...emptyCard(),
    fullName,
    givenName: row.first('first name'),
    familyName: row.first('last name'),
    preferredName: row.first('preferred name'),
    companyName: row.first('company'),
    jobTitle: row.first('title'),
    notes:
      row
        .columns('notes')
        .flatMap((column) => row.text(column) ?? [])
        .join('\n') || null,
    domains: splitValues(row.first('domains'), /:::|[;,\s]/).flatMap((text) => parseDomain(text) ?? []),
    channels: [...emails.channels, ...readPhones(row)],
    addresses: row.addresses(),
  };
  return { kind: 'card', card: { ...card, ...readNames(card) } };
};

/** Separate names where there are any; else those of the whole name, unless it is the company's or an address. */
const readNames = ({ fullName, givenName, familyName, companyName, channels }: Card) => {
  if (givenName !== null || familyName !== null || fullName === null) return {};
  const isOther = fullName === companyName || channels.some(({ value }) => value === fullName);
  return isOther ? {} : splitName(fullName);
};
