/** Finds a workspace's passages with the vectors nearest to a query's, among those of one model. */

import type { Database } from 'better-sqlite3';
import type { Millis } from '../../../kernel/clock.ts';
import type { QueryVector } from '../../search/passages/passage-search.ts';

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
export const createNearestPassages = (connection: Database) => {
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
