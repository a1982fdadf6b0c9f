/**
 * Statements that the query builder compiles once for each connection, with named values. Compiling one for every call
 * costs more than SQLite takes to run it; these few are run for every mail.
 */

import type { Compilable, CompiledQuery, QueryResult } from 'kysely';
import { engineOf } from './engine.ts';
import type { StoredValue } from './mapping.ts';
import type { Db, Tx } from './store.ts';

/** A placeholder in a prepared statement, with a value from each call. */
export class PreparedValue {
  readonly name: string;
  /** The first call's value; an engine casts to its type; undefined: no cast. */
  readonly sample: unknown;

  constructor(name: string, sample?: unknown) {
    this.name = name;
    this.sample = sample;
  }
}

type Values = Readonly<Record<string, StoredValue>>;

type Build = (db: Db, values: Values) => Compilable<unknown>;

const prepareBy = (build: Build) => {
  const compiled = new WeakMap<Db, CompiledQuery>();
  return (db: Db, values: Values): [CompiledQuery, unknown[]] => {
    let query = compiled.get(db);
    if (query === undefined) {
      query = build(db, values).compile();
      compiled.set(db, query);
    }
    return [query, query.parameters.map((each) => (each instanceof PreparedValue ? values[each.name] : each))];
  };
};

/** @returns runs the statement on a connection */
export const prepare = (build: Build) => {
  const bind = prepareBy(build);
  return async (db: Db, values: Values): Promise<QueryResult<unknown>> => engineOf(db).run(...bind(db, values));
};

/** The same of a statement with a result that the unit of work does not wait for. @returns its rows after the commit */
export const preparePost = (build: Build) => {
  const bind = prepareBy(build);
  return (db: Db, values: Values): (() => readonly unknown[]) => engineOf(db).post(...bind(db, values));
};

const withMarks = <V extends Values>(values: V): V =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, new PreparedValue(name, value)]),
  ) as unknown as V;

/**
 * @param build makes the query; called once for a connection
 * @example
 * const byName = preparedSelect((db, { name }: { name: string }) =>
 *   db.selectFrom('settings').select('value').where('name', '=', name));
 * const rows = await byName(db, { name: 'key' });
 */
export const preparedSelect = <V extends Values, Row>(build: (db: Db, values: V) => Compilable<Row>) => {
  const run = prepare((db, values) => build(db, withMarks(values as V)));
  return async (db: Db, values: V): Promise<Row[]> => (await run(db, values)).rows as Row[];
};

/** Values of one statement; a shorter list is filled up by its last value, so that few statements are compiled. */
const LENGTHS = [1, 4, 16, 64, 256];
const MOST_VALUES = 256;

type ListValues = readonly string[] | readonly Uint8Array[] | readonly number[];

/** The same of a query with a list of values, which may be of any length. */
export const preparedListSelect = <V extends Values, Row>(
  build: (db: Db, values: V, list: ListValues) => Compilable<Row>,
) => {
  const byLength = LENGTHS.map((length) => ({
    length,
    run: preparedSelect((db, values: Values) =>
      build(db, values as V, Array.from({ length }, (_, at) => values[at]) as string[]),
    ),
  }));
  return async (db: Db, values: V, list: ListValues): Promise<Row[]> => {
    const rows: Row[] = [];
    for (let from = 0; from < list.length; from += MOST_VALUES) {
      const some = list.slice(from, from + MOST_VALUES);
      const { length, run } = byLength.find((each) => each.length >= some.length) as (typeof byLength)[number];
      const filled = Object.fromEntries(Array.from({ length }, (_, at) => [at, some[Math.min(at, some.length - 1)]]));
      rows.push(...(await run(db, { ...values, ...(filled as Values) })));
    }
    return rows;
  };
};

/**
 * The same of a change: the unit of work does not wait for it, and fails where it does.
 * @returns the rows that it returns, once the transaction is committed
 */
export const preparedChange = <V extends Values, Row>(build: (db: Db, values: V) => Compilable<Row>) => {
  const post = preparePost((db, values) => build(db, withMarks(values as V)));
  return (tx: Tx, values: V) => post(tx.db, values) as () => readonly Row[];
};
