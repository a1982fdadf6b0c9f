/** Searches mail: finds the newest matches by their words, ranks them by their texts, and reads the best. */

import { type SqlBool, sql } from 'kysely';
import type { MailboxId } from '../../../kernel/ids.ts';
import type { Search, SearchHit, SearchPart, SearchPosition, SearchQuery } from '../../search/full-text-search.ts';
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
import { toBlob } from '../../values.ts';
import { isExact, toTsquery } from './message-words.ts';

/**
 * Matches that are ranked among one another, which one query reads: the server finds all matches for each query. Older ones
 * come with the cursor.
 */
const MOST_MATCHES = 1_000;

const conditionsOf = (mailboxIds: readonly MailboxId[], query: SearchQuery) => [
  sql<SqlBool>`m.mailbox_id in (${sql.join(mailboxIds.map(toBlob))})`,
  ...(query.hasAttachment ? [sql<SqlBool>`m.attachments <> '[]'`] : []),
  ...(query.unread === null ? [] : [sql<SqlBool>`m.unread = ${query.unread ? 1 : 0}`]),
  ...(query.direction === null ? [] : [sql<SqlBool>`m.direction = ${query.direction}`]),
  ...(query.after === null ? [] : [sql<SqlBool>`m.created_at >= ${query.after}`]),
  ...(query.before === null ? [] : [sql<SqlBool>`m.created_at < ${query.before}`]),
];

interface MatchRow extends Omit<ScoredText, 'body'> {
  seq: number;
  createdAt: number;
  isIndexed: 0 | 1;
}

/** @param onBehind texts were read that are not indexed yet */
export const createSearch = (db: Db, onBehind: () => void): Search => {
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

  /** Without terms a message's time is its rank. */
  const findFiltered = async (
    mailboxIds: readonly MailboxId[],
    query: SearchQuery,
    { below, after }: SearchPart,
    limit: number,
  ): Promise<SearchPosition[]> => {
    const before = Math.min(below ?? Number.MAX_SAFE_INTEGER, after ? -after.rank : Number.MAX_SAFE_INTEGER);
    const { rows } = await sql<{ seq: number; createdAt: number }>`
      select m.seq, m.created_at as "createdAt" from messages m
      where ${sql.join(conditionsOf(mailboxIds, query), sql` and `)} and m.created_at < ${before}
      order by m.created_at desc limit ${limit}`.execute(db);
    return rows.map(({ seq, createdAt }) => ({ seq, rank: -createdAt }));
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
    const where = sql.join(conditionsOf(mailboxIds, query), sql` and `);
    const found: (MatchRow & SearchPosition)[] = [];
    let top = below ?? Number.MAX_SAFE_INTEGER;
    for (;;) {
      // The matches from the newest on, each with its rows, until there are enough. `materialized` and `offset 0` keep it so:
      // the planner, which knows no word's matches, would walk all words, messages or texts beside them.
      const { rows } = await sql<MatchRow>`
        with hits as materialized (
          select seq, 1 as "isIndexed" from message_words where words @@ ${toTsquery(mailboxIds, query)}::tsquery
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
        where hits.seq < ${top} and hits.seq >= ${downTo ?? 1} limit ${MOST_MATCHES}`.execute(db);
      const read = verifyIndexed ? rows : rows.filter(({ isIndexed }) => isIndexed === 0);
      const bodies = await readBodies(read.map(({ seq }) => seq));
      if (rows.some(({ isIndexed }) => isIndexed === 0)) onBehind();
      for (const row of rows) {
        const body = bodies.get(row.seq) ?? '';
        const verify = row.isIndexed === 1 ? verifyIndexed : verifyWhole;
        if (verify && !verify((column) => (column === 'body' ? body : row[column]))) continue;
        found.push({ ...row, rank: score({ ...row, body: '' }, row.createdAt) });
      }
      const last = rows.at(-1);
      if (!last || rows.length < MOST_MATCHES) return { found, score, downTo: null };
      top = last.seq;
      // Rows that were ranked for an earlier page are ranked again, all of them: else some would be shown twice.
      if (performance.now() > end || (after === null && found.length >= MOST_MATCHES)) {
        return { found, score, downTo: top };
      }
    }
  };

  return async (mailboxIds, query, part, { limit, timeMs }) => {
    if (query.all.length === 0 && query.none.length === 0) {
      return { hits: await readHits(await findFiltered(mailboxIds, query, part, limit), []), rankedDownTo: null };
    }
    const { found, score, downTo } = await findMatches(mailboxIds, query, part, timeMs);
    const sorted = found.sort(byRank);
    const bodies = await readBodies(sorted.slice(0, MOST_BODIES).map(({ seq }) => seq));
    const ranked = sorted.map((match) => {
      const body = bodies.get(match.seq)?.slice(0, SCORED_CHARS);
      return { seq: match.seq, rank: body === undefined ? match.rank : score({ ...match, body }, match.createdAt) };
    });
    const { after } = part;
    const best = ranked.sort(byRank).filter((position) => after === null || isBehind(position, after));
    return { hits: await readHits(best.slice(0, limit), query.all), rankedDownTo: downTo };
  };
};
