/** What a search thread reads of passages: FTS5 gives the best by BM25. */

import type { Database } from 'better-sqlite3';
import { PASSAGE_ROWS, type PassageRow, type PassageSource } from '../../search/passages/rank-passages.ts';
import { createNearestPassages } from './nearest-passages.ts';

const quoted = (term: string): string => `"${term}"`;

/** @param hasVectors whether the connection has the extension (vector-extension.ts) */
export const createPassageSource = (connection: Database, hasVectors: boolean): PassageSource => {
  const countRows = connection
    .prepare<[string, number], number>(
      'select count(*) from (select 1 from knowledge_index where knowledge_index match ? limit ?)',
    )
    .pluck();
  const countPassages = connection
    .prepare<[number], number>('select passages from knowledge_books where number = ?')
    .pluck();
  const findBest = connection
    .prepare<[string, number, number], number>(`
    select seq from (
      select rowid as seq, bm25(knowledge_index, 3.0, 2.0, 1.0, 1.0) as rank
      from knowledge_index where knowledge_index match ? limit ?
    ) order by rank, seq limit ?`)
    .pluck();
  const read = connection.prepare<[number], PassageRow>(`${PASSAGE_ROWS} where a.seq = ?`);
  const findNearest = hasVectors ? createNearestPassages(connection) : null;
  return {
    countRows: async (terms, most) => terms.map((term) => countRows.get(quoted(term), most) ?? 0),
    countPassages: async (book) => countPassages.get(book) ?? 0,
    findBest: async (terms, matches, most) => findBest.all(terms.map(quoted).join(' OR '), matches, most),
    readRows: async (seqs) => seqs.flatMap((seq) => read.get(seq) ?? []),
    findNearest: findNearest && (async (...query) => findNearest(...query)),
  };
};
