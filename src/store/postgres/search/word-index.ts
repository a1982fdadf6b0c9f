/** The words of contacts and notes: a row for each term of each. */

import { CompiledQuery } from 'kysely';
import type { Wanted, WordIndex } from '../../search/word-index.ts';
import type { Db } from '../../store.ts';

/** Sorts after each continuation of a beginning: U+10FFFF is in no word. */
const END = '\u{10ffff}';

class Values {
  readonly list: unknown[] = [];
  mark(value: unknown): string {
    return `$${this.list.push(value)}`;
  }
}

const anyOf = (alias: string, group: readonly Wanted[], values: Values): string =>
  `(${group
    .map(({ term, isBeginning }) =>
      isBeginning
        ? `(${alias}.term >= ${values.mark(term)} and ${alias}.term < ${values.mark(term + END)})`
        : `${alias}.term = ${values.mark(term)}`,
    )
    .join(' or ')})`;

export const createWordIndex = (db: Db): WordIndex => {
  const select = async <R>(text: string, values: readonly unknown[]): Promise<readonly R[]> =>
    (await db.executeQuery<R>(CompiledQuery.raw(text, [...values]))).rows;
  return {
    put: async (table, rows) => {
      await select(`delete from ${table} where seq = any($1::bigint[])`, [rows.map(({ seq }) => seq)]);
      const add = `insert into ${table} (seq, term) select * from unnest($1::bigint[], $2::text[]) on conflict do nothing`;
      const seqs = rows.flatMap(({ seq, terms }) => terms.map(() => seq));
      await select(add, [seqs, rows.flatMap(({ terms }) => terms)]);
    },
    findTerm: async (table, from) =>
      (await select<{ term: string }>(`select term from ${table} where term >= $1 order by term limit 1`, [from]))[0]
        ?.term ?? null,
    findRows: async (table, { groups: [first = [], ...others], without }, below, limit) => {
      const values = new Values();
      // Of one term's few rows, to plan a join of all groups would take longer than each row: the offset prevents it.
      const apart = first.some(({ isBeginning }) => isBeginning) ? '' : ' offset 0';
      const has = (group: readonly Wanted[]) =>
        `exists (select 1 from ${table} o where o.seq = t.seq and ${anyOf('o', group, values)}${apart})`;
      const where = [
        anyOf('t', first, values),
        `t.seq < ${values.mark(below)}`,
        ...others.map(has),
        ...(without.length > 0 ? [`not ${has(without)}`] : []),
      ];
      const text = `select distinct t.seq from ${table} t where ${where.join(' and ')} order by t.seq desc limit ${values.mark(limit)}`;
      return (await select<{ seq: number }>(text, values.list)).map(({ seq }) => seq);
    },
    countRows: async (table, group, most) => {
      const values = new Values();
      const rows = `select distinct seq from ${table} t where ${anyOf('t', group, values)} limit ${values.mark(most)}`;
      return (
        (await select<{ count: number }>(`select count(*) as count from (${rows}) counted`, values.list))[0]?.count ?? 0
      );
    },
  };
};
