/**
 * The FTS5 indexes of small texts, contacts and notes. They stand in the data file and change in their rows'
 * transaction, so a row is found at once. A term begins with its workspace, so a search meets no other workspace's
 * rows. Migration 0077 defines them, and the trigger that removes a deleted row's terms.
 */

import { CompiledQuery } from 'kysely';
import type { Db } from '../store.ts';
import { fts5Rows } from './fts5-rows.ts';

export type WordTable = 'contact_terms' | 'note_terms';

/** Terms of a row: each group needs one. */
export interface Wanted {
  readonly term: string;
  /** Whether the term is the beginning of one. */
  readonly isBeginning: boolean;
}

const select = async <R>(db: Db, text: string, parameters: readonly unknown[]): Promise<readonly R[]> =>
  (await db.executeQuery<R>(CompiledQuery.raw(text, [...parameters]))).rows;

const anyOf = (group: readonly Wanted[]): string =>
  `(${group.map(({ term, isBeginning }) => `"${term}"${isBeginning ? ' *' : ''}`).join(' OR ')})`;

const toMatch = (groups: readonly (readonly Wanted[])[], without: readonly Wanted[]): string =>
  `(${groups.map(anyOf).join(' AND ')})${without.length > 0 ? ` NOT ${anyOf(without)}` : ''}`;

export interface RowsWanted {
  readonly groups: readonly (readonly Wanted[])[];
  readonly without: readonly Wanted[];
}

/** Replaces the terms of a row. */
export const putTerms = async (db: Db, table: WordTable, seq: number, terms: readonly string[]): Promise<void> => {
  const rows = fts5Rows(db, table, ['terms']);
  await rows.remove(seq);
  await rows.add(seq, { terms: terms.join(' ') });
};

/** The first term in the order of UTF-8 that is no less than `from`; null: there is none. */
export const findTerm = async (db: Db, table: WordTable, from: string): Promise<string | null> => {
  const vocabulary = `${table}_vocabulary`;
  const [row] = await select<{ term: string }>(db, `select term from ${vocabulary} where term >= ? limit 1`, [from]);
  return row?.term ?? null;
};

/** Rows with one term of each group and none of `without`, the newest first. */
export const findRows = async (
  db: Db,
  table: WordTable,
  { groups, without }: RowsWanted,
  below: number,
  limit: number,
): Promise<number[]> => {
  const text = `select rowid as seq from ${table} where ${table} match ? and rowid < ? order by rowid desc limit ?`;
  return (await select<{ seq: number }>(db, text, [toMatch(groups, without), below, limit])).map(({ seq }) => seq);
};

/** How many rows have one of the terms, up to `most`. */
export const countRows = async (db: Db, table: WordTable, group: readonly Wanted[], most: number): Promise<number> => {
  const text = `select count(*) as count from (select 1 from ${table} where ${table} match ? limit ?)`;
  const [row] = await select<{ count: number }>(db, text, [toMatch([group], []), most]);
  return row?.count ?? 0;
};
