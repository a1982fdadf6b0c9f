/**
 * Finds the passages that fit a query best. The engine gives the best among a bounded number of matches. These are
 * ranked by their texts twice: by the query's terms, then with terms of the best of them. A query with a vector also
 * joins the ranking of the nearest passages.
 */

import { idFromBytes, idToBytes, type WorkspaceId } from '../../../kernel/ids.ts';
import { isStopped, termsOf } from '../../../kernel/text/terms.ts';
import { type CorpusCounts, countPassage, scorePassages } from './bm25f.ts';
import { widenQuery } from './feedback-terms.ts';
import { fuseRankings } from './fuse-rankings.ts';
import { type PassageHit, type PassageQuery, type QueryVector, toTermPrefix } from './passage-search.ts';

/** What the engine reads. Terms have the prefix of their book. */
export interface PassageSource {
  /** How many passages have each of the terms, up to `most`. */
  countRows(terms: readonly string[], most: number): Promise<number[]>;
  /** How many passages the book has. */
  countPassages(book: number): Promise<number>;
  /** The best of at most `matches` passages that have a term: the seqs, best first. */
  findBest(terms: readonly string[], matches: number, most: number): Promise<number[]>;
  /** Those that are current. */
  readRows(seqs: readonly number[]): Promise<PassageRow[]>;
  /** The seqs with the nearest vectors, nearest first; null: the engine compares none. */
  findNearest: ((book: number, query: QueryVector, most: number) => Promise<number[]>) | null;
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

export interface PassageRow {
  seq: number;
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
  row: PassageRow;
  score: number;
}

/** Rows `a` of knowledge_passages as {@link PassageRow}s, where their pages are current and their sources not removed. */
export const PASSAGE_ROWS = `
  select a.seq, p.id as "pageId", s.id as "sourceId", p.title, p.url, a.heading, a.text, p.workspace_id as workspace
  from knowledge_passages a join knowledge_pages p on p.seq = a.page_seq and p.revision = a.revision
    join knowledge_sources s on s.seq = p.source_seq and s.removed_at is null`;

/** Stop words count only where there are no other words. */
const queryTerms = (text: string): string[] => {
  const all = [...new Set(termsOf(text))];
  const telling = all.filter((term) => !isStopped(term));
  return (telling.length > 0 ? telling : all).slice(0, MAX_TERMS);
};

export const createPassageRanking = (source: PassageSource) => {
  const readRows = async (seqs: readonly number[], workspaceId: WorkspaceId): Promise<Map<number, PassageRow>> => {
    const workspace = idToBytes(workspaceId);
    const rows = await source.readRows(seqs);
    return new Map(rows.filter((row) => Buffer.compare(row.workspace, workspace) === 0).map((row) => [row.seq, row]));
  };

  const readCandidates = async (terms: readonly string[], workspaceId: WorkspaceId) => {
    const seqs = await source.findBest(terms, MOST_MATCHES, CANDIDATES);
    const rows = await readRows(seqs, workspaceId);
    return seqs.flatMap((seq) => {
      const row = rows.get(seq);
      if (!row) return [];
      const text = { title: termsOf(row.title ?? ''), heading: termsOf(row.heading), body: termsOf(row.text) };
      return [{ seq, row, passage: countPassage(text) }];
    });
  };

  /** The rarest terms, until their matches add up to the number that is ranked; at least one. */
  const chooseTerms = (terms: readonly string[], { having }: CorpusCounts): string[] => {
    const rarest = terms.filter((term) => having(term) > 0).sort((a, b) => having(a) - having(b));
    let total = 0;
    return rarest.filter((term, at) => {
      total += having(term);
      return at === 0 || total <= MOST_MATCHES;
    });
  };

  const rankByWords = async ({ book, text, workspaceId }: PassageQuery): Promise<Ranked[]> => {
    const withBook = (term: string): string => toTermPrefix(book) + term;
    const own = queryTerms(text);
    const counted = new Map<string, number>();
    const count = async (terms: readonly string[], most: number): Promise<void> => {
      const unknown = terms.filter((term) => !counted.has(term));
      const counts = await source.countRows(unknown.map(withBook), most);
      for (const [at, term] of unknown.entries()) counted.set(term, counts[at] ?? 0);
    };
    await count(own, MOST_COUNTED);
    const corpus: CorpusCounts = {
      passages: await source.countPassages(book),
      having: (term) => counted.get(term) ?? 0,
    };
    const chosen = chooseTerms(own, corpus);
    if (chosen.length === 0) return [];
    const candidates = await readCandidates(chosen.map(withBook), workspaceId);
    const passages = candidates.map(({ passage }) => passage);

    const rank = (terms: ReadonlyMap<string, number>) => {
      const scores = scorePassages(passages, terms, corpus);
      return candidates
        .map((candidate, at) => ({ ...candidate, score: scores[at] ?? 0 }))
        .sort((a, b) => b.score - a.score);
    };
    const first = rank(new Map(own.map((term) => [term, 1])));
    const countMore = (terms: readonly string[]) => count(terms, MOST_COUNTED_OF_FEEDBACK);
    const widened = await widenQuery(first, own, { ...corpus, count: countMore }, isStopped);
    if (!widened) return first;
    return rank(widened).map(({ seq, row, score }) => ({ seq, row, score: score * own.length }));
  };

  const joinNearest = async (
    byWords: readonly Ranked[],
    near: readonly number[],
    { workspaceId, limit }: PassageQuery,
  ): Promise<Ranked[]> => {
    const known = new Map(byWords.map(({ seq, row }) => [seq, row]));
    const others = near.filter((seq) => !known.has(seq));
    const rows = new Map([...known, ...(await readRows(others, workspaceId))]);
    const current = near.filter((seq) => rows.has(seq));
    const joined = fuseRankings([byWords.map(({ seq }) => seq), current]);
    return joined.slice(0, limit).flatMap(({ key: seq, score }) => {
      const row = rows.get(seq);
      return row ? [{ seq, row, score }] : [];
    });
  };

  return async (query: PassageQuery): Promise<PassageHit[]> => {
    const byWords = await rankByWords(query);
    const near = query.nearest && (await source.findNearest?.(query.book, query.nearest, NEAREST));
    const ranked = near ? await joinNearest(byWords, near, query) : byWords;
    return ranked.slice(0, query.limit).map(({ row, score }) => ({
      pageId: idFromBytes(row.pageId),
      sourceId: idFromBytes(row.sourceId),
      title: row.title,
      url: row.url,
      heading: row.heading,
      text: row.text,
      score,
    }));
  };
};
