/**
 * Searches contacts and notes by words: every word must match as the beginning of a word. Walks the index entries that
 * begin with the rarest word, exact ones before longer ones, the newest row first under each.
 */

import { decodeCursor, encodeCursor, invalidCursor } from '../../kernel/cursor.ts';
import { idToBytes, type WorkspaceId } from '../../kernel/ids.ts';
import { engineOf } from '../engine.ts';
import type { Db, Tx } from '../store.ts';
import type { Wanted, WordTable } from './word-index.ts';

/** The source of a word: `w` names, addresses, domains, all of a note; `t` other text; `r` the readers of the row. */
export type WordKind = 'w' | 't' | 'r';

export interface Word {
  readonly kind: WordKind;
  /** Folded. */
  readonly word: string;
}

export interface WordSource {
  readonly table: WordTable;
  /** The words of a row as they are indexed. */
  readWords(db: Db, seq: number): Promise<readonly Word[]>;
}

export interface WordSearch {
  readonly workspaceId: WorkspaceId;
  /** Folded. */
  readonly words: readonly string[];
  /** Where the words may stand, in the order of the results. */
  readonly kinds: readonly WordKind[];
  /** Only rows with one of these readers; null: any row. */
  readonly readers: readonly string[] | null;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface WordPage {
  /** The newest of the first word first; each once. */
  seqs: number[];
  /** Null: all rows were searched. A page may be short, or empty, before the last. */
  next_cursor: string | null;
  /** A cursor that continues after that one of them. */
  cursorAfter(seq: number | undefined): string | null;
}

/** A row of the walk. */
interface Position extends Word {
  seq: number;
}

/** Words and rows that one page reads, and how many it reads between two pauses. */
const MAX_LOOKS = 2_000;
const LOOKS_AT_ONCE = 50;
/** Up to so many rows, words are compared by their number of rows. */
const RARE = 2_000;

const toTerm = (workspaceId: WorkspaceId, kind: WordKind, word: string): string =>
  `${Buffer.from(idToBytes(workspaceId)).toString('hex')}${kind}${word}`;

export interface WordsOfRow {
  readonly workspaceId: WorkspaceId;
  readonly seq: number;
  readonly words: readonly Word[];
}

const toTerms = ({ workspaceId, words }: WordsOfRow): string[] =>
  words.map(({ kind, word }) => toTerm(workspaceId, kind, word));

/** Brings the words of rows to what they are. */
export const putWords = ({ db }: Pick<Tx, 'db'>, table: WordTable, rows: readonly WordsOfRow[]): Promise<void> =>
  engineOf(db).wordIndex.put(
    table,
    rows.map((row) => ({ seq: row.seq, terms: toTerms(row) })),
  );

const isBefore = (one: string, other: string): boolean => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

const readCursor = (cursor: string, { words, kinds }: WordSearch): { first: string; after: Position } => {
  const [first, kind, word, seq] = decodeCursor(cursor, 'string', 'string', 'string', 'integer');
  const known = kinds.find((each) => each === kind);
  if (known === undefined || !words.includes(String(first))) throw invalidCursor();
  return { first: String(first), after: { kind: known, word: String(word), seq: Number(seq) } };
};

/** @param pause awaited now and then, so that other work goes on */
export const searchWords = async (
  db: Db,
  { table, readWords }: WordSource,
  search: WordSearch,
  pause: () => Promise<unknown>,
): Promise<WordPage> => {
  const { workspaceId, words, kinds, readers, limit, cursor } = search;
  const { countRows, findRows, findTerm } = engineOf(db).wordIndex;
  const beginningOf = (word: string): Wanted[] =>
    kinds.map((kind) => ({ term: toTerm(workspaceId, kind, word), isBeginning: true }));
  const readable = readers?.map((reader) => ({ term: toTerm(workspaceId, 'r', reader), isBeginning: false }));

  const findRarest = async (): Promise<string | undefined> => {
    const counted: { word: string; rows: number }[] = [];
    for (const word of words) counted.push({ word, rows: await countRows(table, beginningOf(word), RARE) });
    return counted.toSorted((a, b) => a.rows - b.rows)[0]?.word;
  };
  const from = cursor === undefined ? null : readCursor(cursor, search);
  const first = from ? from.first : words.length < 2 ? words[0] : await findRarest();

  const found: Position[] = [];
  const result = (endedAt: Position | null): WordPage => {
    const formatCursor = ({ kind, word, seq }: Position) => encodeCursor(first ?? '', kind, word, seq);
    const cursorAfter = (seq: number | undefined): string | null => {
      const last = found.find((each) => each.seq === seq);
      return last ? formatCursor(last) : null;
    };
    const next_cursor = found.length > limit ? cursorAfter(found[limit - 1]?.seq) : endedAt && formatCursor(endedAt);
    return { seqs: found.slice(0, limit).map(({ seq }) => seq), next_cursor, cursorAfter };
  };
  if (first === undefined) return result(null);

  const common = [...words.filter((word) => word !== first).map(beginningOf), ...(readable ? [readable] : [])];
  const everything = { groups: [beginningOf(first), ...common], without: [] };
  if (!from && (await findRows(table, everything, Number.MAX_SAFE_INTEGER, 1)).length === 0) return result(null);

  /** By row, the first word of each kind that it is found by: words of a large row take milliseconds. */
  const places = new Map<number, Map<WordKind, string>>();
  const placesOf = async (seq: number): Promise<Map<WordKind, string>> => {
    const found = new Map<WordKind, string>();
    for (const { kind, word } of await readWords(db, seq)) {
      const known = found.get(kind);
      if (word.startsWith(first) && (known === undefined || isBefore(word, known))) found.set(kind, word);
    }
    places.set(seq, found);
    await pause();
    return found;
  };

  /** Whether the row is not already found by an earlier word of the kind. */
  const isFirstPlace = async ({ kind, word, seq }: Position): Promise<boolean> => {
    if (word === first) return true;
    const place = (places.get(seq) ?? (await placesOf(seq))).get(kind);
    return place === undefined || !isBefore(place, word);
  };

  let looks = 0;
  const look = async (): Promise<void> => {
    looks += 1;
    if (looks % LOOKS_AT_ONCE === 0) await pause();
  };
  for (const kind of kinds.slice(from ? kinds.indexOf(from.after.kind) : 0)) {
    const beginning = toTerm(workspaceId, kind, first);
    const start = toTerm(workspaceId, kind, '');
    const after = from?.after.kind === kind ? from.after : null;
    const without = beginningOf(first).slice(0, kinds.indexOf(kind));
    let below = after?.seq ?? Number.MAX_SAFE_INTEGER;
    let term = after ? start + after.word : await findTerm(table, beginning);
    while (term?.startsWith(beginning)) {
      const word = term.slice(start.length);
      const asked = limit + 1 - found.length;
      const wanted = { groups: [[{ term, isBeginning: false }], ...common], without };
      const rows = await findRows(table, wanted, below, asked);
      for (const seq of rows) {
        await look();
        if (await isFirstPlace({ kind, word, seq })) found.push({ kind, word, seq });
      }
      await look();
      if (found.length > limit) return result(null);
      const isWordOver = rows.length < asked;
      below = isWordOver ? 0 : (rows.at(-1) ?? 0);
      if (looks >= MAX_LOOKS) return result({ kind, word, seq: below });
      if (!isWordOver) continue;
      below = Number.MAX_SAFE_INTEGER;
      // A blank sorts before every continuation of the word.
      term = await findTerm(table, `${term} `);
    }
  }
  return result(null);
};
