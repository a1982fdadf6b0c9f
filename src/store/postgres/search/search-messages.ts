/** Searches mail: finds the newest matches by their words, ranks them by their texts, and reads the best. */

import { type SqlBool, sql } from 'kysely';
import type { Millis } from '../../../kernel/clock.ts';
import { idToBytes, type MailboxId } from '../../../kernel/ids.ts';
import { byFilter, filtersOf, findFiltered } from '../../search/find-filtered.ts';
import type {
  SearchBounds,
  SearchHit,
  SearchPage,
  SearchPart,
  SearchPosition,
  SearchQuery,
} from '../../search/full-text-search.ts';
import {
  BODY_CHARS,
  byRank,
  HIT_ROWS,
  type HitRow,
  isBehind,
  MOST_BODIES,
  SCORED_CHARS,
  toHit,
} from '../../search/hit-rows.ts';
import { readBody, type StoredBody, storedBody } from '../../search/packed-text.ts';
import { createScorer, type ScoredText } from '../../search/score.ts';
import { createVerifier } from '../../search/verify.ts';
import type { Db } from '../../store.ts';
import { isExact, toTsquery, type Window, windowsBelow } from './message-words.ts';

/**
 * Matches that are ranked among one another, which one query reads: the server finds all matches for each query. Older ones
 * come with the cursor.
 */
const MOST_MATCHES = 1_000;

interface MatchRow extends Omit<ScoredText, 'body'> {
  seq: number;
  createdAt: number;
  isIndexed: 0 | 1;
}

/** A page of a search of mail, as a thread runs it. */
export interface MessageJob {
  readonly kind: 'messages';
  readonly mailboxIds: readonly MailboxId[];
  readonly query: SearchQuery;
  readonly part: SearchPart;
  readonly bounds: SearchBounds;
}

export interface FoundPage extends SearchPage {
  /** Whether texts were read that are not indexed yet. */
  readonly isIndexBehind: boolean;
}

export const createSearch = (db: Db) => {
  const readBodies = async (seqs: readonly number[]): Promise<Map<number, string>> => {
    if (seqs.length === 0) return new Map();
    const { rows } = await sql<StoredBody & { seq: number }>`
      select t.seq, ${sql.raw(storedBody(BODY_CHARS))}
      from message_texts t left join messages m on m.seq = t.seq left join raw_messages r on r.id = m.raw_id
      where t.seq in (${sql.join([...seqs])})`.execute(db);
    return new Map(rows.map((row) => [row.seq, readBody(row)]));
  };

  const readHits = async (best: readonly SearchPosition[], terms: SearchQuery['all']): Promise<SearchHit[]> => {
    if (best.length === 0) return [];
    const { rows } =
      await sql<HitRow>`${sql.raw(HIT_ROWS)} where m.seq in (${sql.join(best.map(({ seq }) => seq))})`.execute(db);
    const bySeq = new Map(rows.map((row) => [row.seq, row]));
    return best.flatMap((position) => {
      const row = bySeq.get(position.seq);
      return row ? [toHit(row, position, terms.flat())] : [];
    });
  };

  const findNewest = async (): Promise<number> => {
    const { rows } = await sql<{ seq: number | null }>`select max(seq) as seq from message_texts`.execute(db);
    return rows[0]?.seq ?? 0;
  };

  const findMatches = async (
    mailboxIds: readonly MailboxId[],
    query: SearchQuery,
    { below, downTo, after }: SearchPart,
    timeMs: number,
  ) => {
    const end = performance.now() + timeMs;
    const score = createScorer(query.all);
    const verifyIndexed = createVerifier(query, isExact);
    const verifyWhole = createVerifier(query, () => false);
    const ofMailbox = sql<SqlBool>`m.mailbox_id in (${sql.join(mailboxIds.map(idToBytes))})`;
    const where = sql.join([ofMailbox, ...filtersOf(query)], sql` and `);

    // The newest matches of a window, each with its rows. `materialized` and `offset 0` keep it so: the planner, which knows
    // no word's matches, would walk all words, messages or texts beside them.
    const readMatches = async (window: Window, top: number, low: number): Promise<MatchRow[]> => {
      const { rows } = await sql<MatchRow>`
        with hits as materialized (
          select seq, 1 as "isIndexed" from message_words where words @@ ${toTsquery(mailboxIds, query, window)}::tsquery
          union all select seq, 0 from message_texts where seq > (select coalesce(max(seq), 0) from message_words)
          order by seq desc
        )
        select m.seq, m."createdAt", hits."isIndexed", t.* from hits
          cross join lateral (
            select m.seq, m.created_at as "createdAt" from messages m where m.seq = hits.seq and ${where} offset 0
          ) as m
          cross join lateral (
            select subject, sender, recipients, attachments from message_texts where seq = hits.seq offset 0
          ) as t
        where hits.seq < ${top} and hits.seq >= ${low} limit ${MOST_MATCHES}`.execute(db);
      return rows;
    };

    const found: (MatchRow & SearchPosition)[] = [];
    let isIndexBehind = false;
    const take = async (rows: readonly MatchRow[]): Promise<void> => {
      const read = verifyIndexed ? rows : rows.filter(({ isIndexed }) => isIndexed === 0);
      const bodies = await readBodies(read.map(({ seq }) => seq));
      isIndexBehind ||= rows.some(({ isIndexed }) => isIndexed === 0);
      for (const row of rows) {
        const body = bodies.get(row.seq) ?? '';
        const verify = row.isIndexed === 1 ? verifyIndexed : verifyWhole;
        if (verify && !verify((column) => (column === 'body' ? body : row[column]))) continue;
        found.push({ ...row, rank: score({ ...row, body: '' }, row.createdAt) });
      }
    };

    // Rows that were ranked for an earlier page are ranked again, all of them: else some would be shown twice.
    const isEnough = () => performance.now() > end || (after === null && found.length >= MOST_MATCHES);
    const floor = downTo ?? 1;
    let top = below ?? (await findNewest()) + 1;
    for (const window of windowsBelow(top)) {
      const low = Math.max(window.from, floor);
      while (top > low) {
        const rows = await readMatches(window, top, low);
        await take(rows);
        top = rows.length < MOST_MATCHES ? low : (rows.at(-1)?.seq ?? low);
        if (top > floor && isEnough()) return { found, score, isIndexBehind, downTo: top };
      }
    }
    return { found, score, isIndexBehind, downTo: null };
  };

  return async ({ mailboxIds, query, part, bounds }: MessageJob): Promise<FoundPage> => {
    const { limit, timeMs } = bounds;
    if (query.all.length === 0 && query.none.length === 0) {
      const read = async (time: Millis, width: number) =>
        (await byFilter(mailboxIds, query, time, width).execute(db)).rows;
      const { best, rankedDownTo } = await findFiltered(read, part, bounds);
      return { hits: await readHits(best, []), rankedDownTo, isIndexBehind: false };
    }
    const { found, score, isIndexBehind, downTo } = await findMatches(mailboxIds, query, part, timeMs);
    const sorted = found.sort(byRank);
    const bodies = await readBodies(sorted.slice(0, MOST_BODIES).map(({ seq }) => seq));
    const ranked = sorted.map((match) => {
      const body = bodies.get(match.seq)?.slice(0, SCORED_CHARS);
      return { seq: match.seq, rank: body === undefined ? match.rank : score({ ...match, body }, match.createdAt) };
    });
    const { after } = part;
    const best = ranked.sort(byRank).filter((position) => after === null || isBehind(position, after));
    return { hits: await readHits(best.slice(0, limit), query.all), rankedDownTo: downTo, isIndexBehind };
  };
};
