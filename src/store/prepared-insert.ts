/** Inserts of a mapping's entities, compiled once for each connection. */

import type {
  Kysely,
  OnConflictBuilder,
  OnConflictDoNothingBuilder,
  OnConflictUpdateBuilder,
  RawBuilder,
} from 'kysely';
import { engineOf } from './engine.ts';
import type { Columns, Mapping, NewEntityOf, StoredValue } from './mapping.ts';
import { prepare } from './prepared-statement.ts';
import { PreparedValue } from './prepared-value.ts';
import type { Schema } from './schema.ts';
import type { Tx } from './store.ts';

type OnConflict<Name extends keyof Schema> = (
  builder: OnConflictBuilder<Schema, Name>,
) => OnConflictUpdateBuilder<Schema, Name> | OnConflictDoNothingBuilder<Schema, Name>;

/** Any table: the mapping has checked the columns. */
type AnyTables = Kysely<Record<string, Record<string, unknown>>>;
type AnyConflict = Parameters<ReturnType<AnyTables['insertInto']>['onConflict']>[0];

const prepareInsert = (
  { table, fields }: Pick<Mapping<string, Columns>, 'table' | 'fields'>,
  onConflict: AnyConflict | undefined,
  returning: string | undefined,
  next?: RawBuilder<number>,
) => {
  const marks = Object.fromEntries(fields.map(({ key, name }) => [name, new PreparedValue(key)]));
  const run = prepare((db) => {
    const numbered = next && returning && !engineOf(db).numbersOnce ? { [returning]: next } : {};
    const insert = (db as unknown as AnyTables).insertInto(table).values({ ...numbered, ...marks });
    const resolved = onConflict ? insert.onConflict(onConflict) : insert;
    return returning === undefined ? resolved : resolved.returning(returning);
  });
  return (tx: Tx, entity: Record<string, unknown>) => {
    const values: Record<string, StoredValue> = {};
    for (const { key, toStored } of fields) values[key] = toStored(entity[key] ?? null);
    return run(tx.db, values);
  };
};

/** @returns inserts one entity; resolves with the number of rows written, 0 where a conflict does nothing */
export const preparedInsert = <Name extends keyof Schema & string, C extends Columns>(
  mapping: Mapping<Name, C>,
  onConflict?: OnConflict<Name>,
) => {
  const run = prepareInsert(mapping, onConflict as AnyConflict | undefined, undefined);
  return async (tx: Tx, entity: NewEntityOf<C>): Promise<number> =>
    Number((await run(tx, entity)).numAffectedRows ?? 0);
};

/**
 * The same of a table in which the store numbers the rows.
 * @param column of the number
 * @param next expression of the number, where the engine would give one again; left out: the engine's
 * @returns the new row's number
 */
export const preparedNumberedInsert = <Name extends keyof Schema & string, C extends Columns>(
  mapping: Mapping<Name, C>,
  column: keyof Schema[Name] & string,
  next?: RawBuilder<number>,
) => {
  const run = prepareInsert(mapping, undefined, column, next);
  return async (tx: Tx, entity: NewEntityOf<C>): Promise<number> => {
    const [row] = (await run(tx, entity)).rows as Record<string, number>[];
    return Number(row?.[column]);
  };
};
