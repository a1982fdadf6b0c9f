/** Deletes all rows of an owner, some at a time, because a transaction holds up all others. */

import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './store.ts';

/** A table, the columns of its key, and the column with the owner of a row. */
export type Owned = readonly [table: string, key: readonly string[], owner: string];

/** @returns the number of rows that were deleted */
const deleteSome = async (tx: Tx, [table, key, owner]: Owned, id: Uint8Array, limit: number): Promise<number> => {
  const columns: RawBuilder<unknown> = sql.join(key.map((column) => sql.ref(column)));
  const some = sql`select ${columns} from ${sql.table(table)} where ${sql.ref(owner)} = ${id} limit ${limit}`;
  const result = await sql`delete from ${sql.table(table)} where (${columns}) in (${some})`.execute(tx.db);
  return Number(result.numAffectedRows ?? 0);
};

export const deleteSomeOf = async (
  tx: Tx,
  tables: readonly Owned[],
  id: Uint8Array,
  limit: number,
): Promise<number> => {
  let deleted = 0;
  for (const table of tables) {
    deleted += await deleteSome(tx, table, id, limit - deleted);
    if (deleted >= limit) break;
  }
  return deleted;
};
