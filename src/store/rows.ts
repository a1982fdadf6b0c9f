/**
 * Reads and changes rows of one table by the values of their fields. A statement is compiled once for each connection.
 * Queries that join tables or compute are written with the query builder.
 */

import type { Compilable, Kysely } from 'kysely';
import type { Columns, EntityOf, Mapping, StoredValue } from './mapping.ts';
import { PreparedValue, prepare, preparePost } from './prepared-statement.ts';
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

interface Condition {
  readonly key: string;
  readonly operator: Operator;
  /** Null where the operator compares with null. */
  readonly stored: StoredValue;
}

/** The conditions as they are stored, the values among them, and the text that tells one statement from another. */
const readConditions = (mapping: AnyMapping, conditions: object) => {
  const where: Condition[] = [];
  const values: Record<string, StoredValue> = {};
  let shape = '';
  for (const [key, given] of Object.entries(conditions)) {
    const isCompared = given instanceof Comparison;
    const value: unknown = isCompared ? given.value : given;
    const operator = isCompared ? (given.operator as Operator) : given === null ? 'is' : '=';
    const stored = value === null ? null : mapping.toStored(key, value);
    if (stored !== null) values[key] = stored;
    where.push({ key, operator, stored });
    shape += `,${key} ${operator}`;
  }
  return { where, values, shape };
};

/** The conditions as the builder takes them, with a mark for each value. */
const toWhere = (mapping: AnyMapping, where: readonly Condition[]) =>
  where.map(({ key, operator, stored }) => {
    const value = stored === null ? null : new PreparedValue(key, stored);
    return [mapping.nameOf(key), operator, value] as const;
  });

type Build = (db: AnyTables) => Compilable<unknown>;
interface Statement {
  run: ReturnType<typeof prepare>;
  post: ReturnType<typeof preparePost>;
}
const statements = new WeakMap<AnyMapping, Map<string, Statement>>();

/** The prepared statement of that shape; `build` makes it at its first use. */
const statementOf = (mapping: AnyMapping, shape: string, build: Build): Statement => {
  let known = statements.get(mapping);
  if (!known) {
    known = new Map();
    statements.set(mapping, known);
  }
  let statement = known.get(shape);
  if (!statement) {
    const ofDb = (db: Db) => build(db as unknown as AnyTables);
    statement = { run: prepare(ofDb), post: preparePost(ofDb) };
    known.set(shape, statement);
  }
  return statement;
};

export const listRows = async <C extends Columns, P extends Columns = C>(
  db: Db,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
  { order = {}, limit, as = mapping as unknown as Mapping<string, P> }: Listing<C, P> = {},
): Promise<EntityOf<P>[]> => {
  const { values, where, shape } = readConditions(mapping, conditions);
  const sorted = Object.entries<'asc' | 'desc' | undefined>(order);
  const read = (as as unknown) === mapping ? '' : as.names;
  const { run } = statementOf(mapping, `select ${read} ${sorted} ${limit === undefined}${shape}`, (tables) => {
    let query = tables.selectFrom(mapping.table).select(as.toRead);
    for (const condition of toWhere(mapping, where)) query = query.where(...condition);
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

/** One field of each. */
export const listValues = async <C extends Columns, K extends keyof C & string>(
  db: Db,
  mapping: Mapping<string, C>,
  key: K,
  conditions: Conditions<C>,
  listing: Omit<Listing<C, C>, 'as'> = {},
): Promise<EntityOf<C>[K][]> => {
  const rows = await listRows(db, mapping, conditions, { ...listing, as: mapping.only(key) });
  return rows.map((row) => row[key]);
};

/** One field of one of them; null without any. */
export const findValue = async <C extends Columns, K extends keyof C & string>(
  db: Db,
  mapping: Mapping<string, C>,
  key: K,
  conditions: Conditions<C>,
  order: Listing<C, C>['order'] = {},
): Promise<EntityOf<C>[K] | null> => (await listValues(db, mapping, key, conditions, { order, limit: 1 }))[0] ?? null;

export const countRows = async <C extends Columns>(
  db: Db,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
): Promise<number> => {
  const { values, where, shape } = readConditions(mapping, conditions);
  const { run } = statementOf(mapping, `count${shape}`, (tables) => {
    let query = tables.selectFrom(mapping.table).select((eb) => eb.fn.countAll().as('count'));
    for (const condition of toWhere(mapping, where)) query = query.where(...condition);
    return query;
  });
  const [row] = (await run(db, values)).rows as { count: number | string }[];
  return Number(row?.count);
};

type Change<C extends Columns> = { readonly [K in keyof C]?: EntityOf<C>[K] | undefined };

/** @returns null where nothing is changed */
const toUpdate = <C extends Columns>(mapping: Mapping<string, C>, conditions: Conditions<C>, change: Change<C>) => {
  const { values, where, shape } = readConditions(mapping, conditions);
  const set = Object.entries(change).filter(([, value]) => value !== undefined);
  if (set.length === 0) return null;
  for (const [key, value] of set) values[`new ${key}`] = mapping.toStored(key, value);
  const statement = statementOf(mapping, `update ${set.map(([key]) => key)}${shape}`, (tables) => {
    const marks = set.map(([key]) => [mapping.nameOf(key), new PreparedValue(`new ${key}`)]);
    let query = tables.updateTable(mapping.table).set(Object.fromEntries(marks));
    for (const condition of toWhere(mapping, where)) query = query.where(...condition);
    return query;
  });
  return { statement, values };
};

const toDelete = <C extends Columns>(mapping: Mapping<string, C>, conditions: Conditions<C>) => {
  const { values, where, shape } = readConditions(mapping, conditions);
  const statement = statementOf(mapping, `delete${shape}`, (tables) => {
    let query = tables.deleteFrom(mapping.table);
    for (const condition of toWhere(mapping, where)) query = query.where(...condition);
    return query;
  });
  return { statement, values };
};

/** Sets the fields of `change`; an undefined field stays as it is. The unit of work does not wait for it. */
export const updateRows = async <C extends Columns>(
  { db }: Tx,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
  change: Change<C>,
): Promise<void> => {
  const update = toUpdate(mapping, conditions, change);
  update?.statement.post(db, update.values);
};

/** The same. @returns how many rows had the conditions */
export const updateAndCount = async <C extends Columns>(
  { db }: Tx,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
  change: Change<C>,
): Promise<number> => {
  const update = toUpdate(mapping, conditions, change);
  return update ? Number((await update.statement.run(db, update.values)).numAffectedRows ?? 0) : 0;
};

/** The unit of work does not wait for it. */
export const deleteRows = async <C extends Columns>(
  { db }: Tx,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
): Promise<void> => {
  const { statement, values } = toDelete(mapping, conditions);
  statement.post(db, values);
};

/** The same. @returns how many there were */
export const deleteAndCount = async <C extends Columns>(
  { db }: Tx,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
): Promise<number> => {
  const { statement, values } = toDelete(mapping, conditions);
  return Number((await statement.run(db, values)).numAffectedRows ?? 0);
};
