/**
 * A query whose SQL is made once, from the query builder, with marks where its values go. Made anew for every call, it
 * costs more than SQLite takes to answer; these few are asked for every mail.
 */

import { type Compilable, CompiledQuery } from 'kysely';
import type { Db } from '../store.ts';

type Value = string | number | Uint8Array;

/**
 * @param build makes the query for values of the same types; called once for a connection
 * @example
 * const byName = preparedSelect((db, name: string) => db.selectFrom('settings').select('value').where('name', '=', name));
 */
export const preparedSelect = <V extends Value[], Row>(build: (db: Db, ...values: V) => Compilable<Row>) => {
  const texts = new WeakMap<Db, string>();
  return async (db: Db, ...values: V): Promise<Row[]> => {
    let text = texts.get(db);
    if (text === undefined) {
      const { sql, parameters } = build(db, ...values).compile();
      const isInOrder =
        parameters.length === values.length && parameters.every((each, at) => Object.is(each, values[at]));
      if (!isInOrder) throw new Error(`A prepared query's values stand in another order than it takes them: ${sql}`);
      text = sql;
      texts.set(db, text);
    }
    return (await db.executeQuery(CompiledQuery.raw(text, values))).rows as Row[];
  };
};
