/** Passages by their terms: one tsvector each, of lexemes without places. */

import { CompiledQuery, sql } from 'kysely';
import type { PassageIndex, PassageSearch } from '../../search/passages/passage-search.ts';
import { createPassageRanking, PASSAGE_ROWS, type PassageRow } from '../../search/passages/rank-passages.ts';
import type { Db } from '../../store.ts';
import { findNearest } from './nearest-passages.ts';

export const createPassageIndex = (db: Db): PassageIndex => ({
  add: async (seq, terms) => {
    const lexemes = [...new Set(Object.values(terms).flatMap((text) => text.split(' ')))].filter((term) => term !== '');
    const add = 'insert into passage_words (seq, words) values ($1, array_to_tsvector($2::text[]))';
    await db.executeQuery(CompiledQuery.raw(add, [seq, lexemes]));
  },
  remove: async (seq) => {
    await db.executeQuery(CompiledQuery.raw('delete from passage_words where seq = $1', [seq]));
  },
});

/** A term has letters, digits and an underscore alone. */
const quoted = (term: string): string => `'${term}'`;

export const createPassageSearch = (db: Db): PassageSearch => {
  const countOne = async (term: string, most: number): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (
        select 1 from passage_words where words @@ ${quoted(term)}::tsquery limit ${most}
      ) counted`.execute(db);
    return rows[0]?.count ?? 0;
  };

  return createPassageRanking({
    countRows: (terms, most) => Promise.all(terms.map((term) => countOne(term, most))),
    countPassages: async (book) => {
      const row = await db
        .selectFrom('knowledge_books')
        .select('passages')
        .where('number', '=', book)
        .executeTakeFirst();
      return row?.passages ?? 0;
    },
    findBest: async (terms, matches, most) => {
      const any = terms.map(quoted).join(' | ');
      // The terms come from the rarest on: a rarer one weighs more.
      const weighed = terms.map(
        (term, at) => sql`(case when words @@ ${quoted(term)}::tsquery then ${sql.lit(terms.length - at)} else 0 end)`,
      );
      const { rows } = await sql<{ seq: number }>`
        select seq from (select seq, words from passage_words where words @@ ${any}::tsquery limit ${matches}) matching
        order by ${sql.join(weighed, sql` + `)} desc, seq limit ${most}`.execute(db);
      return rows.map(({ seq }) => seq);
    },
    readRows: async (seqs) =>
      seqs.length === 0
        ? []
        : (await sql<PassageRow>`${sql.raw(PASSAGE_ROWS)} where a.seq in (${sql.join([...seqs])})`.execute(db)).rows,
    findNearest: (...query) => findNearest(db, ...query),
  });
};
