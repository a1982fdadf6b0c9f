/** Searches on a connection of its own: finds the newest matches, ranks them, and reads the best. */

import { type FilterRow, findFiltered } from '../search/find-filtered.ts';
import type { SearchPosition } from '../search/full-text-search.ts';
import { byRank, type HitRow, isBehind, MOST_BODIES, toHit } from '../search/hit-rows.ts';
import type { PassageHit, PassageJob } from '../search/passages/passage-search.ts';
import { createPassageRanking } from '../search/passages/rank-passages.ts';
import { createScorer, type ScoredText, type Scorer } from '../search/score.ts';
import { createVerifier, type ReadText } from '../search/verify.ts';
import { openConnection } from './open-database.ts';
import { createPassageSource } from './passages/passage-source.ts';
import { loadVectorExtension } from './passages/vector-extension.ts';
import { findMatches, type Match } from './text-index/find-matches.ts';
import { isExact } from './text-index/fts5-expression.ts';
import { createIndexReader } from './text-index/index-reader.ts';
import {
  type FilterJob,
  type FoundPage,
  hitQuery,
  type SearchJob,
  type TextRow,
  textFrom,
  textQuery,
  type WordsJob,
} from './text-index/search-job.ts';

export type RunSearch = (job: SearchJob | PassageJob) => Promise<FoundPage | PassageHit[]>;

/** @throws the engine's error where the data cannot be opened */
export const createSearching = (path: string): RunSearch => {
  const connection = openConnection(path, 'read');
  const index = createIndexReader(path, connection);
  const readHit = connection.prepare<[number], HitRow>(hitQuery);
  const readFields = connection.prepare<[number], Omit<ScoredText, 'body'>>(
    'select subject, sender, recipients, attachments from message_texts where seq = ?',
  );
  const findText = connection.prepare<[number], TextRow>(textQuery);
  const readText = (seq: number): ScoredText | undefined => {
    const row = findText.get(seq);
    return row && textFrom(row);
  };

  /** Scores by all but the text; null where the text lacks what the index could not check, or is not indexed yet. */
  const createFirstLook = (job: WordsJob, score: Scorer) => {
    const verifyIndexed = createVerifier(job, isExact);
    const verifyWhole = createVerifier(job, () => false);
    return ({ seq, createdAt }: FilterRow, isIndexed: boolean): Match | null => {
      const verify = isIndexed ? verifyIndexed : verifyWhole;
      const fields = readFields.get(seq);
      if (!fields) return null;
      const read: ReadText = (column) => (column === 'body' ? (readText(seq)?.body ?? '') : fields[column]);
      return verify && !verify(read) ? null : { seq, createdAt, rank: score({ ...fields, body: '' }, createdAt) };
    };
  };

  const rank = (
    job: WordsJob,
  ): { best: SearchPosition[]; rankedDownTo: number | null; isIndexDamaged: boolean; isIndexBehind: boolean } => {
    const score = createScorer(job.all);
    const { found, downTo, isIndexDamaged, isIndexBehind } = findMatches(
      { data: connection, index },
      job,
      createFirstLook(job, score),
    );
    const ranked = found.sort(byRank).map(({ seq, createdAt, rank: known }, at) => {
      const text = at < MOST_BODIES ? readText(seq) : undefined;
      return { seq, rank: text ? score(text, createdAt) : known };
    });
    const { after } = job.part;
    const best = ranked.sort(byRank).filter((position) => after === null || isBehind(position, after));
    return { best: best.slice(0, job.limit), rankedDownTo: downTo, isIndexDamaged, isIndexBehind };
  };

  const filter = async ({ sql, parameters, part, limit, timeMs }: FilterJob) => {
    const window = connection.prepare<unknown[], FilterRow>(sql);
    const read = (below: number, width: number) => window.all(...parameters, below, width);
    return { ...(await findFiltered(read, part, { limit, timeMs })), isIndexDamaged: false, isIndexBehind: false };
  };

  const searchMessages = async (job: SearchJob): Promise<FoundPage> => {
    const { best, rankedDownTo, isIndexDamaged, isIndexBehind } = job.kind === 'words' ? rank(job) : await filter(job);
    const terms = job.kind === 'words' ? job.all.flat() : [];
    const hits = best.flatMap((position) => {
      const row = readHit.get(position.seq);
      return row ? [toHit(row, position, terms)] : [];
    });
    return { hits, rankedDownTo, isIndexDamaged, isIndexBehind };
  };

  /** Without the extension, by words alone: {@link Store.findVectorFault} tells why it does not load. */
  const rankByVectors = async () => {
    const isLoaded = await loadVectorExtension(connection).then(
      () => true,
      () => false,
    );
    return createPassageRanking(createPassageSource(connection, isLoaded));
  };
  const rankByWords = createPassageRanking(createPassageSource(connection, false));
  let byVectors: ReturnType<typeof rankByVectors> | null = null;

  const searchPassages = async (job: PassageJob): Promise<PassageHit[]> => {
    if (!job.nearest) return rankByWords(job);
    byVectors ??= rankByVectors();
    return (await byVectors)(job);
  };

  return (job) => (job.kind === 'passages' ? searchPassages(job) : searchMessages(job));
};
