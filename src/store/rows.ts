/**
 * Reads and changes the rows of one table whose fields have given values; a statement is compiled once for each
 * connection. What joins tables or computes is written with the query builder.
 */

import type { Kysely } from 'kysely';
import type { Columns, EntityOf, Mapping, StoredValue } from './mapping.ts';
import { prepare } from './prepared-statement.ts';
import { PreparedValue } from './prepared-value.ts';
import type { Db, Tx } from './store.ts';

type Operator = '=' | '>' | '<' | '<=' | 'is' | 'is not';

/** A comparison of a field. */
class Comparison<V> {
  readonly operator: Operator;
  readonly value: V;

  constructor(operator: Operator, value: V) {
    this.operator = operator;
    this.value = value;
  }
}

export const above = <V>(value: V) => new Comparison('>', value);
export const below = <V>(value: V) => new Comparison('<', value);
export const atMost = <V>(value: V) => new Comparison('<=', value);
export const notNull = new Comparison('is not', null);

type Compared<V> = V extends Uint8Array ? Uint8Array : V;
/** Conditions that all hold: a field equals the value, or is null. */
type Conditions<C extends Columns> = {
  readonly [K in keyof C]?: Compared<EntityOf<C>[K]> | Comparison<Compared<EntityOf<C>[K]>> | typeof notNull;
};

interface Listing<C extends Columns, P extends Columns> {
  /** The fields to sort by, the first one first. */
  order?: { readonly [K in keyof C]?: 'asc' | 'desc' };
  limit?: number;
  /** The fields to read; left out: all. */
  as?: Mapping<string, P>;
}

type AnyMapping = Pick<Mapping<string, Columns>, 'table' | 'nameOf' | 'toStored'>;
type AnyTables = Kysely<Record<string, Record<string, unknown>>>;

/** The values of a statement, and its conditions as the builder takes them. */
const readConditions = (mapping: AnyMapping, conditions: object) => {
  const values: Record<string, StoredValue> = {};
  const where = Object.entries(conditions).map(([key, given]) => {
    const { operator, value } =
      given instanceof Comparison ? given : new Comparison<unknown>(given === null ? 'is' : '=', given);
    if (value === null) return { key, operator, value };
    const stored = mapping.toStored(key, value);
    values[key] = stored;
    return { key, operator, value: new PreparedValue(key, stored) };
  });
  return { values, where };
};

type Where = ReturnType<typeof readConditions>['where'];
type Build = Parameters<typeof prepare>[0];
const statements = new WeakMap<AnyMapping, Map<string, ReturnType<typeof prepare>>>();

/** The prepared statement of this kind and shape; `build` makes it at its first use. */
const statementOf = (mapping: AnyMapping, kind: string, where: Where, build: (db: AnyTables) => ReturnType<Build>) => {
  const known = statements.get(mapping) ?? new Map<string, ReturnType<typeof prepare>>();
  statements.set(mapping, known);
  const shape = [kind, ...where.map(({ key, operator }) => `${key} ${operator}`)].join();
  const run = known.get(shape) ?? prepare((db) => build(db as unknown as AnyTables));
  known.set(shape, run);
  return run;
};

export const listRows = async <C extends Columns, P extends Columns = C>(
  db: Db,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
  { order = {}, limit, as = mapping as unknown as Mapping<string, P> }: Listing<C, P> = {},
): Promise<EntityOf<P>[]> => {
  const { values, where } = readConditions(mapping, conditions);
  const sorted = Object.entries<'asc' | 'desc' | undefined>(order);
  const kind = `select ${as.names} ${sorted} ${limit === undefined}`;
  const run = statementOf(mapping, kind, where, (tables) => {
    let query = tables.selectFrom(mapping.table).select(as.toRead);
    for (const { key, operator, value } of where) query = query.where(mapping.nameOf(key), operator, value);
    // With the table's name: an id that is read has its column's name.
    for (const [key, direction] of sorted) query = query.orderBy(`${mapping.table}.${mapping.nameOf(key)}`, direction);
    return limit === undefined ? query : query.limit(new PreparedValue('limit', limit) as unknown as number);
  });
  const { rows } = await run(db, limit === undefined ? values : { ...values, limit });
  return (rows as Parameters<typeof as.read>[0][]).map(as.read);
};

/** One of them; null without any. */
export const findRow = async <C extends Columns, P extends Columns = C>(
  db: Db,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
  listing: Listing<C, P> = {},
): Promise<EntityOf<P> | null> => (await listRows(db, mapping, conditions, { ...listing, limit: 1 }))[0] ?? null;

export const countRows = async <C extends Columns>(
  db: Db,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
): Promise<number> => {
  const { values, where } = readConditions(mapping, conditions);
  const run = statementOf(mapping, 'count', where, (tables) => {
    let query = tables.selectFrom(mapping.table).select((eb) => eb.fn.countAll().as('count'));
    for (const { key, operator, value } of where) query = query.where(mapping.nameOf(key), operator, value);
    return query;
  });
  const [row] = (await run(db, values)).rows as { count: number | string }[];
  return Number(row?.count);
};

/** Sets the fields of `change`; one that is undefined stays. @returns how many rows had the conditions */
export const updateRows = async <C extends Columns>(
  { db }: Tx,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
  change: { readonly [K in keyof C]?: EntityOf<C>[K] | undefined },
): Promise<number> => {
  const { values, where } = readConditions(mapping, conditions);
  const set = Object.entries(change).filter(([, value]) => value !== undefined);
  if (set.length === 0) return 0;
  for (const [key, value] of set) values[`new ${key}`] = mapping.toStored(key, value);
  const run = statementOf(mapping, `update ${set.map(([key]) => key)}`, where, (tables) => {
    const marks = set.map(([key]) => [mapping.nameOf(key), new PreparedValue(`new ${key}`)]);
    let query = tables.updateTable(mapping.table).set(Object.fromEntries(marks));
    for (const { key, operator, value } of where) query = query.where(mapping.nameOf(key), operator, value);
    return query;
  });
  return Number((await run(db, values)).numAffectedRows ?? 0);
};

/** @returns how many there were */
export const deleteRows = async <C extends Columns>(
  { db }: Tx,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
): Promise<number> => {
  const { values, where } = readConditions(mapping, conditions);
  const run = statementOf(mapping, 'delete', where, (tables) => {
    let query = tables.deleteFrom(mapping.table);
    for (const { key, operator, value } of where) query = query.where(mapping.nameOf(key), operator, value);
    return query;
  });
  return Number((await run(db, values)).numAffectedRows ?? 0);
};
