/**
 * Contacts by the words of a query: every word is wanted, each as the beginning of a word. The rarest word is walked, its
 * own matches before longer words that begin with it, newest contacts first under each; the others are looked up for each
 * contact on that walk. One call walks a bounded number of rows: its cost does not grow with the book.
 */

import { type ExpressionBuilder, sql } from 'kysely';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { endOfPrefix } from '../../kernel/text/fold.ts';
import type { Schema } from '../schema.ts';
import type { Db } from '../store.ts';
import { toBlob } from '../values.ts';
import type { KeyKind } from './contact-keys.ts';

/** A row of the walk; the next page begins behind it. */
export interface WordPosition {
  kind: KeyKind;
  key: string;
  recency: number;
}

export interface WordSearch {
  workspaceId: WorkspaceId;
  /** Folded; the first is walked. */
  words: readonly [string, ...string[]];
  /** Where the words may stand, in the order of the results. */
  kinds: readonly KeyKind[];
}

export interface WordMatches {
  /** Seqs of contacts, each once. */
  seqs: number[];
  /** The position of each of them. */
  positions: WordPosition[];
  /** The last row looked at, where the walk ended at its bound; null: at the page's end, or at the last row. */
  endedAt: WordPosition | null;
}

/** Rows of the walk that one statement looks at: some 2 ms of work. */
const ROWS_AT_ONCE = 500;
/** Rows that one call looks at for a page. */
const MAX_ROWS = 4 * ROWS_AT_ONCE;
/** Rows up to which words are told apart by their number; more common ones by a sample of their rows. */
const RARE = 300;
const SAMPLE = 50;

type Keys = ExpressionBuilder<Schema & { walked: { key: string; recency: number } }, 'walked'>;

const hasWord = (eb: Keys, kinds: readonly KeyKind[], word: string) =>
  eb.exists(
    eb
      .selectFrom('contact_keys as other')
      .select('other.recency')
      .whereRef('other.recency', '=', 'walked.recency')
      .where('other.kind', 'in', kinds)
      .where('other.key', '>=', word)
      .where('other.key', '<', endOfPrefix(word)),
  );

/** Whether a row of the same contact stands before this one in the walk. */
const cameBefore = (eb: Keys, kinds: readonly KeyKind[], kind: KeyKind, word: string) =>
  eb.exists(
    eb
      .selectFrom('contact_keys as before')
      .select('before.recency')
      .whereRef('before.recency', '=', 'walked.recency')
      .where('before.kind', 'in', kinds.slice(0, kinds.indexOf(kind) + 1))
      .where('before.key', '>=', word)
      .where('before.key', '<', endOfPrefix(word))
      .where((or) => or.or([or('before.kind', '<>', kind), or('before.key', '<', or.ref('walked.key'))])),
  );

const walk = (db: Db, { workspaceId, words: [word] }: WordSearch, kind: KeyKind, after: WordPosition | null) => {
  const from = after?.kind === kind ? after : null;
  const rows = db
    .selectFrom('contact_keys')
    .select(['key', 'recency'])
    .where('workspace_id', '=', toBlob(workspaceId))
    .where('kind', '=', kind)
    .where('key', '<', endOfPrefix(word))
    .orderBy('key')
    .orderBy('recency');
  if (!from) return rows.where('key', '>=', word);
  return rows.where((eb) => eb(eb.refTuple('key', 'recency'), '>', eb.tuple(from.key, from.recency)));
};

const matchesOf = async (
  db: Db,
  search: WordSearch,
  kind: KeyKind,
  after: WordPosition | null,
  limit: number,
): Promise<WordPosition[]> => {
  const { kinds, words } = search;
  const rows = await db
    .selectFrom(walk(db, search, kind, after).limit(ROWS_AT_ONCE).as('walked'))
    .select(['walked.key', 'walked.recency'])
    .where((eb) => eb.not(cameBefore(eb as never, kinds, kind, words[0])))
    .where((eb) => eb.and(words.slice(1).map((word) => hasWord(eb as never, kinds, word))))
    .orderBy('walked.key')
    .orderBy('walked.recency')
    .limit(limit)
    .execute();
  return rows.map(({ key, recency }) => ({ kind, key, recency }));
};

/** The last row that {@link matchesOf} walked; null where there are no more rows behind it. */
const endOfWalk = async (
  db: Db,
  search: WordSearch,
  kind: KeyKind,
  after: WordPosition | null,
): Promise<WordPosition | null> => {
  const [row] = await walk(db, search, kind, after)
    .limit(1)
    .offset(ROWS_AT_ONCE - 1)
    .execute();
  return row ? { kind, ...row } : null;
};

/**
 * A page of matches.
 * @param after where the walk begins; null: at its start
 * @param pause awaited between two statements, so that other work goes on
 */
export const searchContactWords = async (
  db: Db,
  search: WordSearch,
  after: WordPosition | null,
  limit: number,
  pause: () => Promise<unknown>,
): Promise<WordMatches> => {
  const found: WordPosition[] = [];
  let position = after;
  let walked = 0;
  const result = (endedAt: WordPosition | null): WordMatches => ({
    seqs: found.map(({ recency }) => -recency),
    positions: found,
    endedAt,
  });
  const start = after ? search.kinds.indexOf(after.kind) : 0;
  for (const kind of search.kinds.slice(start)) {
    for (;;) {
      found.push(...(await matchesOf(db, search, kind, position, limit - found.length)));
      if (found.length >= limit) return result(null);
      const end = await endOfWalk(db, search, kind, position);
      walked += ROWS_AT_ONCE;
      if (!end) break;
      position = end;
      if (walked >= MAX_ROWS) return result(end);
      await pause();
    }
  }
  return result(null);
};

/** How many rows a word has in the index, up to {@link RARE}. */
const countRows = async (db: Db, workspaceId: WorkspaceId, kind: KeyKind, word: string): Promise<number> => {
  const { count } = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('contact_keys')
        .select(sql.lit(1).as('one'))
        .where('workspace_id', '=', toBlob(workspaceId))
        .where('kind', '=', kind)
        .where('key', '>=', word)
        .where('key', '<', endOfPrefix(word))
        .limit(RARE)
        .as('rows'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** How many of the first rows of a word are of contacts that have the other words as well. */
const countAgreeing = async (db: Db, search: WordSearch, kind: KeyKind): Promise<number> => {
  const { count } = await db
    .selectFrom(walk(db, search, kind, null).limit(SAMPLE).as('walked'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where((eb) => eb.and(search.words.slice(1).map((word) => hasWord(eb as never, search.kinds, word))))
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** Puts the word first whose walk is the shortest: the rarest, and of common ones that which the others go with most often. */
export const orderByRarity = async (
  db: Db,
  workspaceId: WorkspaceId,
  kinds: readonly KeyKind[],
  words: readonly string[],
): Promise<string[]> => {
  if (words.length < 2) return [...words];
  const counted: { word: string; rows: number }[] = [];
  for (const word of words) {
    let rows = 0;
    for (const kind of kinds) rows += await countRows(db, workspaceId, kind, word);
    counted.push({ word, rows });
  }
  const sorted = counted.toSorted((a, b) => a.rows - b.rows);
  if (sorted.some(({ rows }) => rows < RARE)) return sorted.map(({ word }) => word);
  const sampled: { word: string; agreeing: number }[] = [];
  for (const word of words) {
    const search = { workspaceId, kinds, words: [word, ...words.filter((other) => other !== word)] as const };
    let agreeing = 0;
    for (const kind of kinds) agreeing += await countAgreeing(db, search, kind);
    sampled.push({ word, agreeing });
  }
  return sampled.toSorted((a, b) => b.agreeing - a.agreeing).map(({ word }) => word);
};
