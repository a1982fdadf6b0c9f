/**
 * Maps a table to the domain: for each field its column, type and conversion, stated once. Row type, entity, insert
 * and read follow, so that a column is added here and in a migration.
 */

import { type Expression, type Generated, type RawBuilder, sql } from 'kysely';
import { type Id, idFromBytes, idFromHex, idToBytes } from '../kernel/ids.ts';
import { asBuffer } from '../kernel/text/octets.ts';
import { toFlag, toText } from './values.ts';

export type StoredValue = string | number | Uint8Array | null;

const same = <V>(value: V): V => value;

/** One field's column. Its name is the field's in snake case unless it is {@link Column.named}. */
class Column<Value, Stored extends StoredValue, Name extends string = '', IsDefaulted extends boolean = false> {
  readonly name: Name;
  readonly isDefaulted: IsDefaulted;
  readonly toStored: (value: Value) => Stored;
  readonly fromStored: (stored: Stored) => Value;

  constructor(
    toStored: (value: Value) => Stored,
    fromStored: (stored: Stored) => Value,
    name: Name,
    isDefaulted: IsDefaulted,
  ) {
    this.toStored = toStored;
    this.fromStored = fromStored;
    this.name = name;
    this.isDefaulted = isDefaulted;
  }

  named<N extends string>(name: N): Column<Value, Stored, N, IsDefaulted> {
    return new Column(this.toStored, this.fromStored, name, this.isDefaulted);
  }

  nullable(): Column<Value | null, Stored | null, Name, IsDefaulted> {
    const { toStored, fromStored, name, isDefaulted } = this;
    const nullOr =
      <A, B>(convert: (value: A) => B) =>
      (value: A | null): B | null =>
        value === null ? null : convert(value);
    // Columns that need no conversion share this one: reading many rows then calls no function for them.
    const known = new Map<unknown, unknown>([
      [same, same],
      [readId, readIdOrNull],
    ]).get(fromStored);
    return new Column(nullOr(toStored), (known ?? nullOr(fromStored)) as never, name, isDefaulted);
  }

  /** Reads what is damaged as `fallback`, so that one such row does not end a list. */
  recovering(isValid: (value: Value) => boolean, fallback: Value): Column<Value, Stored, Name, IsDefaulted> {
    const read = (stored: Stored): Value => {
      try {
        const value = this.fromStored(stored);
        return isValid(value) ? value : fallback;
      } catch {
        return fallback;
      }
    };
    return new Column(this.toStored, read, this.name, this.isDefaulted);
  }

  /** The table has a default for it, or the store assigns a number. */
  defaulted(): Column<Value, Stored, Name, true> {
    return new Column(this.toStored, this.fromStored, this.name, true);
  }
}

const column = <Value, Stored extends StoredValue>(
  toStored: (value: Value) => Stored,
  fromStored: (stored: Stored) => Value,
) => new Column<Value, Stored>(toStored, fromStored, '', false);

/** An id as text in a select; '' of null. The driver takes ten times as long for bytes. (PostgreSQL: `encode(id, 'hex')`.) */
export const hexOf = (column: Expression<unknown>): RawBuilder<string> => sql<string>`hex(${column})`;

/** Reads an id from bytes, or from the digits that {@link Mapping.toRead} selects. */
const readId = <T extends string>(stored: Uint8Array | string): Id<T> =>
  typeof stored === 'string' ? idFromHex<T>(stored) : idFromBytes<T>(stored);
const readIdOrNull = (stored: Uint8Array | string | null) => (stored === null || stored === '' ? null : readId(stored));
const isIdReader = (read: unknown): boolean => read === readId || read === readIdOrNull;

/** A UUID as 16 bytes. */
export const id = <T extends string>() => column<Id<T>, Uint8Array>(idToBytes, readId as (stored: Uint8Array) => Id<T>);
export const text = <V extends string = string>() => column<V, V>(toText, same);
/** An integer or a real; times are epoch milliseconds. */
export const number = () => column<number, number>(same, same);
/** 0 or 1. */
export const flag = () => column<boolean, 0 | 1>(toFlag, (stored) => stored === 1);
/** JSON text. */
export const json = <V>() =>
  column<V, string>(
    (value) => JSON.stringify(value),
    // Most lists of a mail are empty.
    (stored) => (stored === '[]' ? [] : JSON.parse(stored)) as V,
  );
export const bytes = () => column<Uint8Array, Uint8Array>(same, same);
export const buffer = () => column<Buffer, Uint8Array>(same, asBuffer);

/** Any column, as mappings need it. */
interface AnyColumn {
  readonly name: string;
  readonly isDefaulted: boolean;
  readonly toStored: (value: never) => StoredValue;
  readonly fromStored: (stored: never) => unknown;
}
export type Columns = Readonly<Record<string, AnyColumn>>;

type SnakeCase<S extends string> = S extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Rest>}`
  : '';
type NameOf<C extends Columns, K extends keyof C & string> = K extends string
  ? C[K]['name'] extends ''
    ? SnakeCase<K>
    : C[K]['name']
  : never;
type ValueOf<C extends AnyColumn> = ReturnType<C['fromStored']>;
type StoredOf<C extends AnyColumn> = ReturnType<C['toStored']>;

/** A row as the domain has it. */
export type EntityOf<C extends Columns> = { [K in keyof C]: ValueOf<C[K]> };
/** The same before it is inserted: a field that may be null may be left out. */
export type NewEntityOf<C extends Columns> = {
  [K in keyof C as null extends ValueOf<C[K]> ? never : K]: ValueOf<C[K]>;
} & { [K in keyof C as null extends ValueOf<C[K]> ? K : never]?: ValueOf<C[K]> | undefined };
/** A row as it is read. */
type StoredRow<C extends Columns> = { [K in keyof C & string as NameOf<C, K>]: StoredOf<C[K]> };
/** A table as Kysely sees it. */
export type RowOf<M> =
  M extends Mapping<string, infer C>
    ? {
        [K in keyof C & string as NameOf<C, K>]: C[K]['isDefaulted'] extends true
          ? Generated<StoredOf<C[K]>>
          : StoredOf<C[K]>;
      }
    : never;
export type Entity<M> = M extends Mapping<string, infer C> ? EntityOf<C> : never;

const toSnakeCase = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

interface Field {
  readonly key: string;
  readonly name: string;
  readonly toStored: (value: unknown) => StoredValue;
  readonly fromStored: (stored: unknown) => unknown;
}

export class Mapping<Name extends string, C extends Columns> {
  readonly table: Name;
  readonly columns: C;
  readonly fields: readonly Field[];
  /** The columns' names, for a select. */
  readonly names: readonly NameOf<C, keyof C & string>[];

  /** The same for a select of rows that go to {@link read} alone, of joined tables too: ids come as text ({@link hexOf}). */
  readonly toRead: readonly NameOf<C, keyof C & string>[];

  /** The same with the table's name, for a select of joined tables. */
  readonly qualifiedNames: readonly `${Name}.${NameOf<C, keyof C & string>}`[];

  /** The columns of the primary key. */
  readonly key: readonly string[];

  private readonly singles = new Map<string, unknown>();

  constructor(table: Name, columns: C, key: readonly string[] = Object.keys(columns).slice(0, 1)) {
    this.table = table;
    this.columns = columns;
    this.key = key.map((field) => this.nameOf(field));
    this.fields = Object.entries(columns).map(([key, { toStored, fromStored }]) => ({
      key,
      name: this.nameOf(key),
      toStored: toStored as Field['toStored'],
      fromStored: fromStored as Field['fromStored'],
    }));
    this.names = this.fields.map(({ name }) => name) as NameOf<C, keyof C & string>[];
    this.toRead = this.fields.map(({ name, fromStored }) => {
      const column = sql.ref(`${table}.${name}`);
      return isIdReader(fromStored) ? hexOf(column).as(name) : column.as(name);
    }) as unknown as NameOf<C, keyof C & string>[];
    this.qualifiedNames = this.names.map((name) => `${table}.${name}` as const);
  }

  /** The same with a primary key of several columns. */
  keyedBy(...key: (keyof C & string)[]): Mapping<Name, C> {
    return new Mapping(this.table, this.columns, key);
  }

  /** The mapping of these columns alone. */
  pick<K extends keyof C & string>(...keys: K[]): Mapping<Name, Pick<C, K>> {
    const picked = Object.fromEntries(Object.entries(this.columns).filter(([key]) => keys.includes(key as K)));
    return new Mapping(this.table, picked as Pick<C, K>);
  }

  /** The mapping of one column, made once. */
  only<K extends keyof C & string>(key: K): Mapping<Name, Pick<C, K>> {
    const known = this.singles.get(key) ?? this.pick(key);
    this.singles.set(key, known);
    return known as Mapping<Name, Pick<C, K>>;
  }

  /** The mapping of all other columns. */
  omit<K extends keyof C & string>(...keys: K[]): Mapping<Name, Omit<C, K>> {
    const left = Object.fromEntries(Object.entries(this.columns).filter(([key]) => !keys.includes(key as K)));
    return new Mapping(this.table, left as Omit<C, K>);
  }

  /** The column of a field. */
  nameOf(key: string): string {
    const { name } = this.columns[key] as AnyColumn;
    return name === '' ? toSnakeCase(key) : name;
  }

  toStored(key: string, value: unknown): StoredValue {
    return (this.columns[key] as AnyColumn).toStored(value as never);
  }

  readonly read = (row: StoredRow<C>): EntityOf<C> => {
    const { fields } = this;
    const entity: Record<string, unknown> = {};
    for (let at = 0; at < fields.length; at += 1) {
      const { key, name, fromStored } = fields[at] as Field;
      const stored = (row as Record<string, unknown>)[name];
      entity[key] = fromStored === same ? stored : fromStored(stored);
    }
    return entity as EntityOf<C>;
  };
}

/**
 * Its first field is the primary key, unless it is {@link Mapping.keyedBy} others.
 * @example
 * const settings = mapping('settings', { name: text(), value: buffer() });
 */
export const mapping = <Name extends string, C extends Columns>(table: Name, columns: C): Mapping<Name, C> =>
  new Mapping(table, columns);
