/**
 * Notes by the words of a query: every word is wanted, each as the beginning of a word. The first word is walked, the others
 * are looked up for each note on that walk. One call walks a bounded number of rows.
 */

import { type ExpressionBuilder, sql } from 'kysely';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { endOfPrefix } from '../../kernel/text/fold.ts';
import type { Schema } from '../schema.ts';
import type { Db } from '../store.ts';
import { toBlob } from '../values.ts';
import type { Reader } from './notes.ts';

/** A row of the walk; the next page begins behind it. */
export interface NotePosition {
  word: string;
  recency: number;
}

export interface NoteSearch {
  workspaceId: WorkspaceId;
  /** Only notes that one of these reads; null: all. */
  readers: readonly Reader[] | null;
  /** Folded; the first is walked. */
  words: readonly [string, ...string[]];
}

export interface NoteMatches {
  positions: NotePosition[];
  /** The last row looked at, where the walk ended at its bound; null: at the page's end, or at the last row. */
  endedAt: NotePosition | null;
}

/** Rows of the walk that one statement looks at, and that one call looks at for a page. */
const ROWS_AT_ONCE = 500;
const MAX_ROWS = 4 * ROWS_AT_ONCE;
/** Rows up to which words are told apart by their number. */
const RARE = 300;

type Words = ExpressionBuilder<Schema & { walked: NotePosition }, 'walked'>;

const hasWord = (eb: Words, word: string) =>
  eb.exists(
    eb
      .selectFrom('note_words as other')
      .select('other.recency')
      .whereRef('other.recency', '=', 'walked.recency')
      .where('other.word', '>=', word)
      .where('other.word', '<', endOfPrefix(word)),
  );

/** Whether an earlier word of the same note begins with the same letters. */
const cameBefore = (eb: Words, word: string) =>
  eb.exists(
    eb
      .selectFrom('note_words as before')
      .select('before.recency')
      .whereRef('before.recency', '=', 'walked.recency')
      .where('before.word', '>=', word)
      .whereRef('before.word', '<', 'walked.word'),
  );

const isReadBy = (eb: Words, readers: readonly Reader[]) =>
  eb.exists(
    eb
      .selectFrom('note_readers')
      .select('note_readers.note_seq')
      .where('note_readers.reader_id', 'in', readers.map(toBlob))
      .where((seq) => seq('note_readers.note_seq', '=', sql<number>`-walked.recency`)),
  );

const walk = (db: Db, { workspaceId, words: [word] }: NoteSearch, after: NotePosition | null) => {
  const rows = db
    .selectFrom('note_words')
    .select(['word', 'recency'])
    .where('workspace_id', '=', toBlob(workspaceId))
    .where('word', '<', endOfPrefix(word))
    .orderBy('word')
    .orderBy('recency');
  if (!after) return rows.where('word', '>=', word);
  return rows.where((eb) => eb(eb.refTuple('word', 'recency'), '>', eb.tuple(after.word, after.recency)));
};

/** @param pause awaited between two statements, so that other work goes on */
export const searchNoteWords = async (
  db: Db,
  search: NoteSearch,
  after: NotePosition | null,
  limit: number,
  pause: () => Promise<unknown>,
): Promise<NoteMatches> => {
  const { words, readers } = search;
  const positions: NotePosition[] = [];
  let position = after;
  for (let walked = ROWS_AT_ONCE; ; walked += ROWS_AT_ONCE) {
    const rows = await db
      .selectFrom(walk(db, search, position).limit(ROWS_AT_ONCE).as('walked'))
      .select(['walked.word', 'walked.recency'])
      .where((eb) => eb.not(cameBefore(eb as never, words[0])))
      .where((eb) => eb.and(words.slice(1).map((word) => hasWord(eb as never, word))))
      .where((eb) => (readers ? isReadBy(eb as never, readers) : eb.and([])))
      .orderBy('walked.word')
      .orderBy('walked.recency')
      .limit(limit - positions.length)
      .execute();
    positions.push(...rows);
    if (positions.length >= limit) return { positions, endedAt: null };
    const [end] = await walk(db, search, position)
      .limit(1)
      .offset(ROWS_AT_ONCE - 1)
      .execute();
    if (!end) return { positions, endedAt: null };
    if (walked >= MAX_ROWS) return { positions, endedAt: end };
    position = end;
    await pause();
  }
};

/** Puts the word that the fewest rows have first. Words of {@link RARE} rows and more are taken for equal. */
export const orderWordsByRarity = async (
  db: Db,
  workspaceId: WorkspaceId,
  words: readonly string[],
): Promise<string[]> => {
  if (words.length < 2) return [...words];
  const counted: { word: string; rows: number }[] = [];
  for (const word of words) {
    const { count } = await db
      .selectFrom((eb) =>
        eb
          .selectFrom('note_words')
          .select(sql.lit(1).as('one'))
          .where('workspace_id', '=', toBlob(workspaceId))
          .where('word', '>=', word)
          .where('word', '<', endOfPrefix(word))
          .limit(RARE)
          .as('rows'),
      )
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    counted.push({ word, rows: Number(count) });
  }
  return counted.toSorted((a, b) => a.rows - b.rows).map(({ word }) => word);
};
