/**
 * An insert whose SQL is made once. The query builder makes it anew for every row, which on the way in costs more than
 * SQLite takes to run it; these few rows are written for every mail.
 */

import { CompiledQuery, type Insertable } from 'kysely';
import type { Schema } from './schema.ts';
import type { Tx } from './store.ts';

/** @returns the new row's number */
export type PreparedInsert<T extends keyof Schema> = (tx: Tx, row: Insertable<Schema[T]>) => Promise<number>;

/** @param onConflict what stands behind the values, such as `on conflict do nothing` */
export const preparedInsert = <T extends keyof Schema & string>(
  table: T,
  columns: readonly (keyof Insertable<Schema[T]> & string)[],
  onConflict = '',
): PreparedInsert<T> => {
  const places = columns.map(() => '?').join(', ');
  const text = `insert into ${table} (${columns.join(', ')}) values (${places}) ${onConflict}`;
  return async (tx, row) => {
    const values = columns.map((column) => row[column] ?? null);
    const { insertId } = await tx.db.executeQuery(CompiledQuery.raw(text, values));
    return Number(insertId ?? 0);
  };
};
