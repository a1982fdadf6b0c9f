/**
 * Finds the passages that fit a query best. FTS5 gives the best by BM25 among a bounded number of matches. These are
 * ranked by their texts twice: by the query's terms, then with terms of the best of them. A query with a vector also
 * joins the ranking of the nearest passages.
 */

import type { Database } from 'better-sqlite3';
import { isStopped, termsOf } from '../../../kernel/text/terms.ts';
import { type CorpusCounts, countPassage, scorePassages } from '../../search/passages/bm25f.ts';
import { widenQuery } from '../../search/passages/feedback-terms.ts';
import { fuseRankings } from '../../search/passages/fuse-rankings.ts';
import { type PassageHit, type PassageQuery, toTermPrefix } from '../../search/passages/passage-search.ts';
import { fromBlob } from '../../values.ts';
import type { createNearestPassages } from './nearest-passages.ts';

/** A passage search, as a search thread runs it. */
export interface PassageJob extends PassageQuery {
  readonly kind: 'passages';
  /** Of the workspace, as its column has it. */
  readonly workspace: Uint8Array;
}

/** Distinct terms of a query that are looked for. */
const MAX_TERMS = 24;
/** Matches that FTS5 ranks, those of the rarest terms. */
const MOST_MATCHES = 10_000;
/** Passages that are ranked by their texts. */
const CANDIDATES = 120;
/** The nearest passages that are joined with them. */
const NEAREST = 60;
/** Passages counted for a term; a term with more counts as a common one. */
const MOST_COUNTED = 10_000;
/** The same of a term that feedback brings in. */
const MOST_COUNTED_OF_FEEDBACK = 1_500;

export type NearestPassages = ReturnType<typeof createNearestPassages>;

interface Row {
  pageId: Uint8Array;
  sourceId: Uint8Array;
  title: string | null;
  url: string | null;
  heading: string;
  text: string;
  workspace: Uint8Array;
}

interface Ranked {
  seq: number;
  row: Row;
  score: number;
}

const PASSAGE = `
  select p.id as pageId, s.id as sourceId, p.title, p.url, a.heading, a.text, p.workspace_id as workspace
  from knowledge_passages a join knowledge_pages p on p.seq = a.page_seq and p.revision = a.revision
    join knowledge_sources s on s.seq = p.source_seq and s.removed_at is null
  where a.seq = ?`;

/** Stop words count only where there are no other words. */
const queryTerms = (text: string): string[] => {
  const all = [...new Set(termsOf(text))];
  const telling = all.filter((term) => !isStopped(term));
  return (telling.length > 0 ? telling : all).slice(0, MAX_TERMS);
};

export const createPassageRanking = (connection: Database) => {
  const countRows = connection
    .prepare<[string, number], number>(
      'select count(*) from (select 1 from knowledge_index where knowledge_index match ? limit ?)',
    )
    .pluck();
  const countPassages = connection
    .prepare<[number], number>('select passages from knowledge_books where number = ?')
    .pluck();
  const findBest = connection.prepare<[string, number, number], { seq: number }>(`
    select seq from (
      select rowid as seq, bm25(knowledge_index, 3.0, 2.0, 1.0, 1.0) as rank
      from knowledge_index where knowledge_index match ? limit ?
    ) order by rank, seq limit ?`);
  const read = connection.prepare<[number], Row>(PASSAGE);

  /** Null where it is not current any more, or removed. */
  const readRow = (seq: number, workspace: Uint8Array): Row | null => {
    const row = read.get(seq);
    return row && Buffer.compare(row.workspace, workspace) === 0 ? row : null;
  };

  const readCandidates = (expression: string, workspace: Uint8Array) =>
    findBest.all(expression, MOST_MATCHES, CANDIDATES).flatMap(({ seq }) => {
      const row = readRow(seq, workspace);
      if (!row) return [];
      const text = { title: termsOf(row.title ?? ''), heading: termsOf(row.heading), body: termsOf(row.text) };
      return [{ seq, row, passage: countPassage(text) }];
    });

  /** The rarest terms, until their matches add up to the number that is ranked; at least one. */
  const chooseTerms = (terms: readonly string[], { having }: CorpusCounts): string[] => {
    const rarest = terms.filter((term) => having(term) > 0).sort((a, b) => having(a) - having(b));
    let total = 0;
    return rarest.filter((term, at) => {
      total += having(term);
      return at === 0 || total <= MOST_MATCHES;
    });
  };

  const rankByWords = ({ book, text, workspace }: PassageJob): Ranked[] => {
    const quoted = (term: string): string => `"${toTermPrefix(book)}${term}"`;
    const own = queryTerms(text);
    const counted = new Map<string, number>();
    const corpus: CorpusCounts = {
      passages: countPassages.get(book) ?? 0,
      having: (term) => {
        const most = own.includes(term) ? MOST_COUNTED : MOST_COUNTED_OF_FEEDBACK;
        const rows = counted.get(term) ?? countRows.get(quoted(term), most) ?? 0;
        counted.set(term, rows);
        return rows;
      },
    };
    const chosen = chooseTerms(own, corpus);
    if (chosen.length === 0) return [];
    const candidates = readCandidates(chosen.map(quoted).join(' OR '), workspace);
    const passages = candidates.map(({ passage }) => passage);

    const rank = (terms: ReadonlyMap<string, number>) => {
      const scores = scorePassages(passages, terms, corpus);
      return candidates
        .map((candidate, at) => ({ ...candidate, score: scores[at] ?? 0 }))
        .sort((a, b) => b.score - a.score);
    };
    const first = rank(new Map(own.map((term) => [term, 1])));
    const widened = widenQuery(first, own, corpus, isStopped);
    if (!widened) return first;
    return rank(widened).map(({ seq, row, score }) => ({ seq, row, score: score * own.length }));
  };

  const joinNearest = (
    byWords: readonly Ranked[],
    near: readonly number[],
    { workspace, limit }: PassageJob,
  ): Ranked[] => {
    const rows = new Map(byWords.map(({ seq, row }) => [seq, row]));
    const current = near.filter((seq) => {
      const row = rows.get(seq) ?? readRow(seq, workspace);
      if (row) rows.set(seq, row);
      return row !== null;
    });
    const joined = fuseRankings([byWords.map(({ seq }) => seq), current]);
    return joined.slice(0, limit).flatMap(({ key: seq, score }) => {
      const row = rows.get(seq);
      return row ? [{ seq, row, score }] : [];
    });
  };

  /** @param nearest null: by words alone */
  return (job: PassageJob, nearest: NearestPassages | null): PassageHit[] => {
    const byWords = rankByWords(job);
    const ranked =
      nearest && job.nearest ? joinNearest(byWords, nearest(job.book, job.nearest, NEAREST), job) : byWords;
    return ranked.slice(0, job.limit).map(({ row, score }) => ({
      pageId: fromBlob(row.pageId),
      sourceId: fromBlob(row.sourceId),
      title: row.title,
      url: row.url,
      heading: row.heading,
      text: row.text,
      score,
    }));
  };
};
