/** Finds the passages that fit a query best: the best by BM25 among a bounded number of matches. */

import type { Database } from 'better-sqlite3';
import { isStopped, termsOf } from '../../../kernel/text/terms.ts';
import { type PassageHit, type PassageQuery, toTermPrefix } from '../../search/passage-search.ts';
import { fromBlob } from '../../values.ts';

/** A passage search, as a search thread runs it. */
export interface PassageJob extends PassageQuery {
  readonly kind: 'passages';
  /** Of the workspace, as its column has it. */
  readonly workspace: Uint8Array;
}

/** Distinct terms of a query that are looked for. */
const MAX_TERMS = 32;
/** Matches that are ranked among one another: those of the rarest terms. */
const MOST_MATCHES = 20_000;

interface Row {
  pageId: Uint8Array;
  sourceId: Uint8Array;
  title: string | null;
  url: string | null;
  heading: string;
  text: string;
  workspace: Uint8Array;
}

const PASSAGE = `
  select p.id as pageId, s.id as sourceId, p.title, p.url, a.heading, a.text, p.workspace_id as workspace
  from knowledge_passages a join knowledge_pages p on p.seq = a.page_seq and p.revision = a.revision
    join knowledge_sources s on s.seq = p.source_seq and s.removed_at is null
  where a.seq = ?`;

const queryTerms = (text: string): string[] => {
  const all = [...new Set(termsOf(text))];
  const telling = all.filter((term) => !isStopped(term));
  return (telling.length > 0 ? telling : all).slice(0, MAX_TERMS);
};

const quoted = (prefix: string, term: string): string => `"${prefix}${term}"`;

export const createPassageRanking = (connection: Database) => {
  const count = connection
    .prepare<[string, number], number>(
      'select count(*) from (select 1 from knowledge_index where knowledge_index match ? limit ?)',
    )
    .pluck();
  const best = connection.prepare<[string, number, number], { seq: number; rank: number }>(`
    select seq, rank from (
      select rowid as seq, bm25(knowledge_index, 4.0, 2.0, 1.2, 1.0) as rank
      from knowledge_index where knowledge_index match ? limit ?
    ) order by rank, seq limit ?`);
  const read = connection.prepare<[number], Row>(PASSAGE);

  /** Terms from the rarest on, as long as their matches add up to what is ranked; one at least. */
  const chooseTerms = (prefix: string, terms: readonly string[]): string[] => {
    const counted = terms
      .map((term) => ({ term, rows: count.get(quoted(prefix, term), MOST_MATCHES) ?? 0 }))
      .filter(({ rows }) => rows > 0)
      .sort((a, b) => a.rows - b.rows);
    let total = 0;
    return counted
      .filter(({ rows }, at) => {
        total += rows;
        return at === 0 || total <= MOST_MATCHES;
      })
      .map(({ term }) => term);
  };

  return ({ book, text, limit, workspace }: PassageJob): PassageHit[] => {
    const prefix = toTermPrefix(book);
    const terms = chooseTerms(prefix, queryTerms(text));
    if (terms.length === 0) return [];
    const expression = terms.map((term) => quoted(prefix, term)).join(' OR ');
    const hits: PassageHit[] = [];
    for (const { seq, rank } of best.all(expression, MOST_MATCHES, limit * 4)) {
      const row = read.get(seq);
      // Not current, or removed.
      if (!row || Buffer.compare(row.workspace, workspace) !== 0) continue;
      const { pageId, sourceId, title, url, heading, text: passage } = row;
      hits.push({
        pageId: fromBlob(pageId),
        sourceId: fromBlob(sourceId),
        title,
        url,
        heading,
        text: passage,
        score: -rank,
      });
      if (hits.length >= limit) break;
    }
    return hits;
  };
};
