/** Deletes all rows of an owner, some at a time. */

import type { Id } from '../kernel/ids.ts';
import type { Columns } from './mapping.ts';
import type { AnyMapping } from './row-statements.ts';
import { deleteSome } from './rows.ts';
import type { Tx } from './store.ts';

/** A table, and the field with the owner of a row. */
export type Owned = readonly [mapping: AnyMapping & { readonly columns: Columns }, owner: string];

/** @returns the number of rows that were deleted */
export const deleteSomeOf = async (
  tx: Tx,
  tables: readonly Owned[],
  id: Id<string>,
  limit: number,
): Promise<number> => {
  let deleted = 0;
  for (const [mapping, owner] of tables) {
    deleted += await deleteSome(tx, mapping, { [owner]: id }, limit - deleted);
    if (deleted >= limit) break;
  }
  return deleted;
};
