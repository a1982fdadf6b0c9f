/**
 * Reads and changes rows of one table by the values of their fields. A statement is compiled once for each connection.
 * Queries that join tables or compute are written with the query builder.
 */

import { sql } from 'kysely';
import type { Columns, EntityOf, Mapping } from './mapping.ts';
import { PreparedValue } from './prepared-statement.ts';
import {
  type AnyMapping,
  Comparison,
  type Conditions,
  readConditions,
  statementOf,
  toWhere,
} from './row-statements.ts';
import type { Db, Tx } from './store.ts';

export const above = <V>(value: V) => new Comparison('>', value);
export const atLeast = <V>(value: V) => new Comparison('>=', value);
export const below = <V>(value: V) => new Comparison('<', value);
export const atMost = <V>(value: V) => new Comparison('<=', value);
export const not = <V>(value: V) => new Comparison('!=', value);
/** From `first` on, and before `end`. */
export const within = <V>(first: V, end: V) => new Comparison('>=', first, { and: below(end) });
export const notNull = new Comparison('is not', null);
export const nullOr = <V>({ operator, value }: Comparison<V>) => new Comparison(operator, value, { orNull: true });
/** In the statement's text: a partial index is used only where that implies its condition. Each value is a statement. */
export const literal = <const V>(value: V) => new Comparison('=', value, { isLiteral: true });

interface Listing<C extends Columns, P extends Columns> {
  /** The fields to sort by, the first one first. */
  order?: { readonly [K in keyof C]?: 'asc' | 'desc' };
  /** A page: only rows behind the one with these values of the fields to sort by, which all go one way. */
  behind?: { readonly [K in keyof C]?: EntityOf<C>[K] } | null | undefined;
  limit?: number;
  /** The fields to read; left out: all. */
  as?: Mapping<string, P>;
}

/** As they are stored, for those who read many. */
export const listStored = async <C extends Columns, P extends Columns = C>(
  db: Db,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
  { order = {}, behind, limit, as = mapping as unknown as Mapping<string, P> }: Listing<C, P> = {},
): Promise<Parameters<typeof as.read>[0][]> => {
  const { values, where, shape } = readConditions(mapping, conditions);
  const sorted = Object.entries<'asc' | 'desc' | undefined>(order);
  const read = (as as unknown) === mapping ? '' : as.names;
  const position = Object.entries(behind ?? {}).map(([key, value]) => [key, mapping.toStored(key, value)] as const);
  for (const [key, stored] of position) values[`behind ${key}`] = stored;
  const part = `${limit === undefined} ${position.length > 0}`;
  const { run } = statementOf(mapping, `select ${read} ${sorted} ${part}${shape}`, (tables) => {
    let query = tables.selectFrom(mapping.table).select(as.toRead).where(toWhere(mapping, where));
    if (position.length > 0) {
      const fields = sql.join(position.map(([key]) => sql.ref(mapping.nameOf(key))));
      const marks = sql.join(position.map(([key, stored]) => new PreparedValue(`behind ${key}`, stored)));
      query = query.where(sql<boolean>`(${fields}) ${sql.raw(sorted[0]?.[1] === 'desc' ? '<' : '>')} (${marks})`);
    }
    // With the table's name: an id that is read has its column's name.
    for (const [key, direction] of sorted) query = query.orderBy(`${mapping.table}.${mapping.nameOf(key)}`, direction);
    return limit === undefined ? query : query.limit(new PreparedValue('limit', limit) as unknown as number);
  });
  const { rows } = await run(db, limit === undefined ? values : { ...values, limit });
  return rows as Parameters<typeof as.read>[0][];
};

export const listRows = async <C extends Columns, P extends Columns = C>(
  db: Db,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
  listing: Listing<C, P> = {},
): Promise<EntityOf<P>[]> => {
  const { read } = listing.as ?? (mapping as unknown as Mapping<string, P>);
  return (await listStored(db, mapping, conditions, listing)).map(read);
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
    return tables
      .selectFrom(mapping.table)
      .select((eb) => eb.fn.countAll().as('count'))
      .where(toWhere(mapping, where));
  });
  const [row] = (await run(db, values)).rows as { count: number | string }[];
  return Number(row?.count);
};

/** The same, up to `most`: as many are read. */
export const countUpTo = async <C extends Columns>(
  db: Db,
  mapping: Mapping<string, C>,
  conditions: Conditions<C>,
  most: number,
): Promise<number> => {
  const { values, where, shape } = readConditions(mapping, conditions);
  const { run } = statementOf(mapping, `count some${shape}`, (tables) => {
    const some = tables
      .selectFrom(mapping.table)
      .select([...mapping.key])
      .where(toWhere(mapping, where))
      .limit(new PreparedValue('most', most) as unknown as number);
    return tables.selectFrom(some.as('some')).select((eb) => eb.fn.countAll().as('count'));
  });
  const [row] = (await run(db, { ...values, most })).rows as { count: number | string }[];
  return Number(row?.count);
};

/** A number that is added to a field's. */
class Addition {
  readonly added: number;

  constructor(added: number) {
    this.added = added;
  }
}

export const plus = (added: number) => new Addition(added);

type Change<C extends Columns> = { readonly [K in keyof C]?: EntityOf<C>[K] | Addition | undefined };

/** @returns null where nothing is changed */
const toUpdate = <C extends Columns>(mapping: Mapping<string, C>, conditions: Conditions<C>, change: Change<C>) => {
  const { values, where, shape } = readConditions(mapping, conditions);
  const set = Object.entries(change).filter(([, value]) => value !== undefined);
  if (set.length === 0) return null;
  for (const [key, value] of set) {
    values[`new ${key}`] = value instanceof Addition ? value.added : mapping.toStored(key, value);
  }
  const fields = set.map(([key, value]) => (value instanceof Addition ? `${key} +` : key));
  const statement = statementOf(mapping, `update ${fields}${shape}`, (tables) =>
    tables
      .updateTable(mapping.table)
      .set((eb) =>
        Object.fromEntries(
          set.map(([key, value]) => {
            const name = mapping.nameOf(key);
            const mark = new PreparedValue(`new ${key}`);
            return [name, value instanceof Addition ? eb(name, '+', mark) : mark];
          }),
        ),
      )
      .where(toWhere(mapping, where)),
  );
  return { statement, values };
};

const toDelete = <C extends Columns>(mapping: Mapping<string, C>, conditions: Conditions<C>) => {
  const { values, where, shape } = readConditions(mapping, conditions);
  const statement = statementOf(mapping, `delete${shape}`, (tables) => {
    return tables.deleteFrom(mapping.table).where(toWhere(mapping, where));
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
    const some = tables
      .selectFrom(mapping.table)
      .select([...mapping.key])
      .where(toWhere(mapping, where))
      .limit(new PreparedValue('limit', limit) as unknown as number);
    return tables.deleteFrom(mapping.table).where(sql<boolean>`(${key}) in ${some}`);
  });
  return Number((await run(db, { ...values, limit })).numAffectedRows ?? 0);
};
