/**
 * The FTS5 indexes of small texts, contacts and notes. They stand in the data file and change in their rows'
 * transaction, so a row is found at once. Migration 0077 defines them, and the trigger that removes a deleted row's terms.
 */

import { CompiledQuery } from 'kysely';
import type { Wanted, WordIndex } from '../search/word-index.ts';
import type { Db } from '../store.ts';
import { fts5Rows } from './fts5-rows.ts';

const anyOf = (group: readonly Wanted[]): string =>
  `(${group.map(({ term, isBeginning }) => `"${term}"${isBeginning ? ' *' : ''}`).join(' OR ')})`;

const toMatch = (groups: readonly (readonly Wanted[])[], without: readonly Wanted[]): string =>
  `(${groups.map(anyOf).join(' AND ')})${without.length > 0 ? ` NOT ${anyOf(without)}` : ''}`;

export const createWordIndex = (db: Db): WordIndex => {
  const select = async <R>(text: string, parameters: readonly unknown[]): Promise<readonly R[]> =>
    (await db.executeQuery<R>(CompiledQuery.raw(text, [...parameters]))).rows;
  return {
    put: async (table, rows) => {
      const indexed = fts5Rows(db, table, ['terms']);
      for (const { seq, terms } of rows) {
        await indexed.remove(seq);
        await indexed.add(seq, { terms: terms.join(' ') });
      }
    },
    findTerm: async (table, from) => {
      const text = `select term from ${table}_vocabulary where term >= ? limit 1`;
      return (await select<{ term: string }>(text, [from]))[0]?.term ?? null;
    },
    findRows: async (table, { groups, without }, below, limit) => {
      const text = `select rowid as seq from ${table} where ${table} match ? and rowid < ? order by rowid desc limit ?`;
      return (await select<{ seq: number }>(text, [toMatch(groups, without), below, limit])).map(({ seq }) => seq);
    },
    countRows: async (table, group, most) => {
      const text = `select count(*) as count from (select 1 from ${table} where ${table} match ? limit ?)`;
      return (await select<{ count: number }>(text, [toMatch([group], []), most]))[0]?.count ?? 0;
    },
  };
};
