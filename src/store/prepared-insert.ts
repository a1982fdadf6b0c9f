/** Inserts of a mapping's entities, compiled once for each connection. */

import {
  type Kysely,
  type OnConflictBuilder,
  type OnConflictDoNothingBuilder,
  type OnConflictUpdateBuilder,
  type RawBuilder,
  sql,
} from 'kysely';
import { idFromBytes } from '../kernel/ids.ts';
import { engineOf } from './engine.ts';
import type { Columns, EntityOf, Mapping, NewEntityOf, StoredValue } from './mapping.ts';
import { PreparedValue, prepare, preparePost } from './prepared-statement.ts';
import type { Schema } from './schema.ts';
import type { Db, Tx } from './store.ts';

type OnConflict<Name extends keyof Schema> = (
  builder: OnConflictBuilder<Schema, Name>,
) => OnConflictUpdateBuilder<Schema, Name> | OnConflictDoNothingBuilder<Schema, Name>;

/** Any table: the mapping has checked the columns. */
type AnyTables = Kysely<Record<string, Record<string, unknown>>>;
type AnyConflict = Parameters<ReturnType<AnyTables['insertInto']>['onConflict']>[0];

type Inserted = Pick<Mapping<string, Columns>, 'table' | 'fields'>;

/** Rows of one statement. */
const LENGTHS = [32, 16, 8, 4, 2, 1];

/** @param isAnswered it is waited for, and answers what was written; else each row counts as written */
const prepareInsert = (
  { table, fields }: Inserted,
  onConflict: AnyConflict | undefined,
  returning: readonly string[],
  { next, isAnswered = returning.length > 0 }: { next?: RawBuilder<number> | undefined; isAnswered?: boolean } = {},
) => {
  /** The names of the values of each row. */
  const names = Array.from({ length: LENGTHS[0] ?? 1 }, (_, row) => fields.map(({ key }) => `${key}${row}`));
  const rowOf = (values: readonly string[]) =>
    Object.fromEntries(fields.map(({ name }, at) => [name, new PreparedValue(values[at] ?? '')]));
  const build = (length: number) => (db: Db) => {
    const [column] = returning;
    const numbered = next && column ? { [column]: next } : {};
    const rows = names.slice(0, length).map((values) => ({ ...numbered, ...rowOf(values) }));
    const insert = (db as unknown as AnyTables).insertInto(table).values(rows);
    const resolved = onConflict ? insert.onConflict(onConflict) : insert;
    return returning.length === 0 ? resolved : resolved.returning([...returning]);
  };
  const insertRows = (length: number): ReturnType<typeof prepare> => {
    if (isAnswered) return prepare(build(length));
    const post = preparePost(build(length));
    return async (db, values) => {
      post(db, values);
      return { rows: [], numAffectedRows: BigInt(length) };
    };
  };
  const statements = LENGTHS.map((length) => ({ length, run: insertRows(length) }));
  return async (tx: Tx, entities: readonly Record<string, unknown>[]) => {
    const done = { count: 0, rows: [] as unknown[] };
    for (let from = 0; from < entities.length; ) {
      const { length, run } = statements.find(
        (each) => each.length <= entities.length - from,
      ) as (typeof statements)[0];
      const values: Record<string, StoredValue> = {};
      for (let row = 0; row < length; row += 1) {
        const entity = entities[from + row];
        for (const [at, { key, toStored }] of fields.entries()) {
          values[names[row]?.[at] ?? ''] = toStored(entity?.[key] ?? null);
        }
      }
      const { rows, numAffectedRows } = await run(tx.db, values);
      done.count += Number(numAffectedRows ?? 0);
      done.rows.push(...rows);
      from += length;
    }
    return done;
  };
};

/** @returns inserts entities; the unit of work does not wait for it */
export const preparedListInsert = <Name extends keyof Schema & string, C extends Columns>(
  mapping: Mapping<Name, C>,
  onConflict?: OnConflict<Name>,
) => {
  const run = prepareInsert(mapping, onConflict as AnyConflict | undefined, []);
  return async (tx: Tx, entities: readonly NewEntityOf<C>[]): Promise<void> => void (await run(tx, entities));
};

/** The same of one entity. */
export const preparedInsert = <Name extends keyof Schema & string, C extends Columns>(
  mapping: Mapping<Name, C>,
  onConflict?: OnConflict<Name>,
) => {
  const run = preparedListInsert(mapping, onConflict);
  return (tx: Tx, entity: NewEntityOf<C>): Promise<void> => run(tx, [entity]);
};

/** Inserts an entity, or sets fields of the one with its primary key. @param fields left out: all others */
export const preparedPut = <Name extends keyof Schema & string, C extends Columns>(
  mapping: Mapping<Name, C>,
  ...fields: (keyof C & string)[]
) => {
  const names = fields.length > 0 ? fields.map((field) => mapping.nameOf(field)) : mapping.names;
  const conflict = (on: Parameters<AnyConflict>[0]) =>
    on
      .columns([...mapping.key])
      .doUpdateSet((eb) =>
        Object.fromEntries(
          names.filter((name) => !mapping.key.includes(name)).map((name) => [name, eb.ref(`excluded.${name}`)]),
        ),
      );
  return preparedInsert(mapping, conflict as unknown as OnConflict<Name>);
};

/**
 * Adds counts, which are all fields but those of the key, to rows in one statement; a row that is not there is made. A count
 * that is left out is 0.
 */
export const preparedAdd = <Name extends keyof Schema & string, C extends Columns>(mapping: Mapping<Name, C>) => {
  const { table, key, fields } = mapping;
  const counts = fields.filter(({ name }) => !key.includes(name));
  const none = Object.fromEntries(counts.map((count) => [count.key, 0]));
  const conflict: AnyConflict = (on) =>
    on
      .columns([...key])
      .doUpdateSet(
        Object.fromEntries(
          counts.map(({ name }) => [name, sql`${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`]),
        ),
      );
  const run = prepareInsert(mapping, conflict, []);
  return async (tx: Tx, ...added: readonly Partial<EntityOf<C>>[]): Promise<void> => {
    await run(
      tx,
      added.map((each) => ({ ...none, ...each })),
    );
  };
};

/** Inserts entities that may be there. @returns how many were not, and are now */
export const preparedListInsertNew = <Name extends keyof Schema & string, C extends Columns>(
  mapping: Mapping<Name, C>,
  onConflict: OnConflict<Name> = (conflict) => conflict.doNothing(),
) => {
  const run = prepareInsert(mapping, onConflict as AnyConflict, [], { isAnswered: true });
  return async (tx: Tx, entities: readonly NewEntityOf<C>[]): Promise<number> => (await run(tx, entities)).count;
};

/** The same of one entity. @returns whether it was not there */
export const preparedInsertNew = <Name extends keyof Schema & string, C extends Columns>(
  mapping: Mapping<Name, C>,
  onConflict?: OnConflict<Name>,
) => {
  const run = preparedListInsertNew(mapping, onConflict);
  return async (tx: Tx, entity: NewEntityOf<C>): Promise<boolean> => (await run(tx, [entity])) === 1;
};

const toNumber = (value: unknown): number => Number(value);

/** Inserts entities and numbers them. @returns their numbers, in their order */
const prepareNumbered = (
  { table, fields }: Inserted,
  column: string,
  returning: string[],
  next?: RawBuilder<number>,
) => {
  const insert = prepareInsert({ table, fields }, undefined, returning, { next });
  const number = { name: column, key: column, toStored: toNumber, fromStored: toNumber };
  const insertNumbered = prepareInsert({ table, fields: [number, ...fields] }, undefined, []);
  return async (tx: Tx, entities: readonly Record<string, unknown>[]): Promise<number[]> => {
    const { nextNumber } = engineOf(tx.db);
    if (nextNumber) {
      const numbers = await Promise.all(entities.map(() => nextNumber(table, column)));
      await insertNumbered(
        tx,
        entities.map((entity, at) => ({ ...entity, [column]: numbers[at] })),
      );
      return numbers;
    }
    const rows = (await insert(tx, entities)).rows as ({ id?: Uint8Array } & Record<string, number>)[];
    if (entities.length === 1) return [Number(rows[0]?.[column])];
    const numbers = new Map<unknown, number>(rows.map((row) => [row.id && idFromBytes(row.id), Number(row[column])]));
    return entities.map(({ id }) => Number(numbers.get(id)));
  };
};

/**
 * The same of a table in which the store numbers the rows.
 * @param column of the number
 * @param next expression of the number, where SQLite would give one again; left out: the engine's
 * @returns the new row's number
 */
export const preparedNumberedInsert = <Name extends keyof Schema & string, C extends Columns>(
  mapping: Mapping<Name, C>,
  column: keyof Schema[Name] & string,
  next?: RawBuilder<number>,
) => {
  const run = prepareNumbered(mapping as Inserted, column, [column], next);
  return async (tx: Tx, entity: NewEntityOf<C>): Promise<number> => Number((await run(tx, [entity]))[0]);
};

/** The same of entities with an id. @returns the new rows' numbers, in the order of the entities */
export const preparedNumberedListInsert = <Name extends keyof Schema & string, C extends Columns>(
  mapping: Mapping<Name, C>,
  column: keyof Schema[Name] & string,
) => {
  const run = prepareNumbered(mapping as Inserted, column, [column, 'id']);
  return (tx: Tx, entities: readonly (NewEntityOf<C> & { id: string })[]): Promise<number[]> => run(tx, entities);
};
