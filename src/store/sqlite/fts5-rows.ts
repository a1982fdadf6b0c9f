/** Rows of an FTS5 table without their texts: the terms are made by this code, and a row is removed by its number. */

import { CompiledQuery } from 'kysely';
import type { Db } from '../store.ts';

export interface Fts5Rows<C extends string> {
  add(seq: number, terms: Readonly<Record<C, string>>): Promise<void>;
  /** FTS5 section 4.4.3.2: of a contentless table with contentless_delete. */
  remove(seq: number): Promise<void>;
}

export const fts5Rows = <const C extends string>(db: Db, table: string, columns: readonly C[]): Fts5Rows<C> => {
  const add = `insert into ${table} (rowid, ${columns.join(', ')}) values (?${', ?'.repeat(columns.length)})`;
  return {
    add: async (seq, terms) => {
      await db.executeQuery(CompiledQuery.raw(add, [seq, ...columns.map((column) => terms[column])]));
    },
    remove: async (seq) => {
      await db.executeQuery(CompiledQuery.raw(`delete from ${table} where rowid = ?`, [seq]));
    },
  };
};
