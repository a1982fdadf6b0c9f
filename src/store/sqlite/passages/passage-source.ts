/** What a search thread reads of passages: FTS5 gives the best by BM25. */

import type { Database } from 'better-sqlite3';
import type { Millis } from '../../../kernel/clock.ts';
import type { QueryVector } from '../../search/passages/passage-search.ts';
import { PASSAGE_ROWS, type PassageRow, type PassageSource } from '../../search/passages/rank-passages.ts';

/** Vectors of a window; the clock is checked after each. */
const WIDTH = 1_000;
/** The walk ends after it, from the newest passage on: a workspace with very many ranks the others by words alone. */
const ENOUGH_MS: Millis = 150;

interface Near {
  seq: number;
  /** Cosine distance: 0 the same, 1 unrelated. Null where it cannot be computed. */
  distance: number | null;
}

/** Of a connection that has the extension (vector-extension.ts). */
const createNearestPassages = (connection: Database) => {
  const window = connection.prepare<[Uint8Array, number, number, number, number, number], Near>(`
    select passage_seq as seq, vec_distance_cosine(vec_int8(vector), vec_int8(?)) as distance from knowledge_vectors
    where book = ? and passage_seq < ? and model = ? and length(vector) = ? order by passage_seq desc limit ?`);

  /** @returns their seqs, nearest first; none that is unrelated */
  return (book: number, { model, vector }: QueryVector, most: number): number[] => {
    const end = performance.now() + ENOUGH_MS;
    let best: { seq: number; distance: number }[] = [];
    let below = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const rows = window.all(vector, book, below, model, vector.length, WIDTH);
      const near = rows.flatMap(({ seq, distance }) => (distance !== null && distance < 1 ? [{ seq, distance }] : []));
      best = [...best, ...near].sort((a, b) => a.distance - b.distance || a.seq - b.seq).slice(0, most);
      const last = rows.at(-1);
      if (!last || rows.length < WIDTH || performance.now() > end) return best.map(({ seq }) => seq);
      below = last.seq;
    }
  };
};

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
