/**
 * Reads and changes rows of one table by the values of their fields. A statement is compiled once for each connection.
 * Queries that join tables or compute are written with the query builder.
 */

import { type Compilable, type Kysely, sql } from 'kysely';
import type { Columns, EntityOf, Mapping, StoredValue } from './mapping.ts';
import { PreparedValue, prepare, preparePost } from './prepared-statement.ts';
import type { Db, Tx } from './store.ts';

type Operator = '=' | '>' | '>=' | '<' | '<=' | 'is' | 'is not';

/** A comparison of a field; another one of the same field may hold as well. */
class Comparison<V> {
  readonly operator: Operator;
  readonly value: V;
  readonly and: Comparison<V> | null;
  readonly isLiteral: boolean;

  constructor(operator: Operator, value: V, and: Comparison<V> | null = null, isLiteral = false) {
    this.operator = operator;
    this.value = value;
    this.and = and;
    this.isLiteral = isLiteral;
  }
}

export const above = <V>(value: V) => new Comparison('>', value);
export const atLeast = <V>(value: V) => new Comparison('>=', value);
export const below = <V>(value: V) => new Comparison('<', value);
export const atMost = <V>(value: V) => new Comparison('<=', value);
/** From `first` on, and before `end`. */
export const within = <V>(first: V, end: V) => new Comparison('>=', first, below(end));
export const notNull = new Comparison('is not', null);
/** In the statement's text: a partial index is used only where that implies its condition. Each value is a statement. */
export const literal = <const V>(value: V) => new Comparison('=', value, null, true);

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

export type AnyMapping = Pick<Mapping<string, Columns>, 'table' | 'key' | 'nameOf' | 'toStored'>;
type AnyTables = Kysely<Record<string, Record<string, unknown>>>;

interface Condition {
  readonly key: string;
  readonly operator: Operator;
  /** Null where the operator compares with null. */
  readonly stored: StoredValue;
  /** Of the value among those of a call; null: it stands in the statement. */
  readonly mark: string | null;
}

/** The conditions as they are stored, the values among them, and the text that tells one statement from another. */
const readConditions = (mapping: AnyMapping, conditions: object) => {
  const where: Condition[] = [];
  const values: Record<string, StoredValue> = {};
  let shape = '';
  for (const [key, given] of Object.entries(conditions)) {
    const first = given instanceof Comparison ? given : new Comparison<unknown>(given === null ? 'is' : '=', given);
    for (const { operator, value, isLiteral } of first.and ? [first, first.and] : [first]) {
      const stored = value === null ? null : mapping.toStored(key, value);
      const mark = isLiteral || stored === null ? null : `${key} ${operator}`;
      if (mark !== null) values[mark] = stored;
      where.push({ key, operator, stored, mark });
      shape += `,${key} ${operator}${isLiteral ? ` ${stored}` : ''}`;
    }
  }
  return { where, values, shape };
};

/** The conditions as the builder takes them, with a mark for each value. */
const toWhere = (mapping: AnyMapping, where: readonly Condition[]) =>
  where.map(({ key, operator, stored, mark }) => {
    const value = mark !== null ? new PreparedValue(mark, stored) : stored === null ? null : sql.lit(stored);
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

/** Deletes some of them: a transaction holds up all others. @returns how many, at most `limit` */
export const deleteSome = async <C extends Columns>(
  { db }: Tx,
  mapping: AnyMapping & { readonly columns: C },
  conditions: Conditions<C>,
  limit: number,
): Promise<number> => {
  const { values, where, shape } = readConditions(mapping, conditions);
  const { run } = statementOf(mapping, `delete some${shape}`, (tables) => {
    const key = sql.join(mapping.key.map((column) => sql.ref(column)));
    let some = tables.selectFrom(mapping.table).select([...mapping.key]);
    for (const condition of toWhere(mapping, where)) some = some.where(...condition);
    const limited = some.limit(new PreparedValue('limit', limit) as unknown as number);
    return tables.deleteFrom(mapping.table).where(sql<boolean>`(${key}) in ${limited}`);
  });
  return Number((await run(db, { ...values, limit })).numAffectedRows ?? 0);
};
