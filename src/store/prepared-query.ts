/**
 * Queries whose SQL is made once, from the query builder, with marks where their values go. Made anew for every call, it
 * costs more than SQLite takes to answer; these few are run for every mail.
 */

import { type Compilable, CompiledQuery, type QueryResult } from 'kysely';
import type { Db, Tx } from './store.ts';

type Value = string | number | Uint8Array | null;

const prepare = <V extends Value[], Row>(build: (db: Db, ...values: V) => Compilable<Row>) => {
  const texts = new WeakMap<Db, string>();
  return (db: Db, values: V): Promise<QueryResult<unknown>> => {
    let text = texts.get(db);
    if (text === undefined) {
      const { sql, parameters } = build(db, ...values).compile();
      const isInOrder =
        parameters.length === values.length && parameters.every((each, at) => Object.is(each, values[at]));
      if (!isInOrder) throw new Error(`A prepared query's values stand in another order than it takes them: ${sql}`);
      text = sql;
      texts.set(db, text);
    }
    return db.executeQuery(CompiledQuery.raw(text, values));
  };
};

/**
 * @param build makes the query for values of the same types; called once for a connection
 * @example
 * const byName = preparedSelect((db, name: string) => db.selectFrom('settings').select('value').where('name', '=', name));
 */
export const preparedSelect = <V extends Value[], Row>(build: (db: Db, ...values: V) => Compilable<Row>) => {
  const run = prepare(build);
  return async (db: Db, ...values: V): Promise<Row[]> => (await run(db, values)).rows as Row[];
};

/** The same of an update or a delete. @returns how many rows it met */
export const preparedUpdate = <V extends Value[]>(build: (db: Db, ...values: V) => Compilable<unknown>) => {
  const run = prepare(build);
  return async (tx: Tx, ...values: V): Promise<number> => Number((await run(tx.db, values)).numAffectedRows ?? 0);
};
