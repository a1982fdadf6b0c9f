/** The words that notes are found by. */

import { wordsOf } from '../../kernel/text/fold.ts';
import { prepare, preparedUpdate } from '../prepared-statement.ts';
import { PreparedValue } from '../prepared-value.ts';
import type { Tx } from '../store.ts';
import { toBlob } from '../values.ts';
import type { Note } from './notes-mappings.ts';

/** Distinct words of a note by which it is found: English of the greatest length has some 3 500. */
const MAX_WORDS = 4_000;

const wordsIn = ({ title, body }: Note): string[] => wordsOf(`${title ?? ''}\n${body}`, MAX_WORDS);

const ROWS_AT_ONCE = 50;

const insertRows = (rows: number) =>
  prepare((db) =>
    db.insertInto('note_words').values(
      Array.from({ length: rows }, (_, at) => ({
        workspace_id: new PreparedValue('workspaceId') as never,
        word: new PreparedValue(`word${at}`) as never,
        recency: new PreparedValue('recency') as never,
      })),
    ),
  );
const insertMany = insertRows(ROWS_AT_ONCE);
const insertOne = insertRows(1);

const deleteWord = preparedUpdate(
  (db, { workspaceId, word, recency }: { workspaceId: Uint8Array; word: string; recency: number }) =>
    db
      .deleteFrom('note_words')
      .where('workspace_id', '=', workspaceId)
      .where('word', '=', word)
      .where('recency', '=', recency),
);

const insertWords = async (tx: Tx, { workspaceId, seq }: Note, words: readonly string[]): Promise<void> => {
  const common = { workspaceId: toBlob(workspaceId), recency: -seq };
  // In the order of the index, so that neighbours are written together.
  const sorted = words.toSorted();
  for (let at = 0; at < sorted.length; ) {
    const size = sorted.length - at >= ROWS_AT_ONCE ? ROWS_AT_ONCE : 1;
    const rows = sorted.slice(at, at + size);
    const values = Object.fromEntries(rows.map((word, row) => [`word${row}`, word]));
    await (size === 1 ? insertOne : insertMany)(tx.db, { ...common, ...values });
    at += size;
  }
};

/**
 * Brings the words of a note from what they were to what they are.
 * @param before null: it is new. @param after null: it is deleted
 */
export const changeWords = async (tx: Tx, before: Note | null, after: Note | null): Promise<void> => {
  const [old, current] = [new Set(before ? wordsIn(before) : []), new Set(after ? wordsIn(after) : [])];
  const gone = [...old].filter((word) => !current.has(word));
  const isRewritten = gone.length > ROWS_AT_ONCE;
  if (before && isRewritten) {
    await tx.db.deleteFrom('note_words').where('recency', '=', -before.seq).execute();
  } else if (before) {
    const common = { workspaceId: toBlob(before.workspaceId), recency: -before.seq };
    for (const word of gone) await deleteWord(tx, { ...common, word });
  }
  const kept = isRewritten ? new Set<string>() : old;
  if (after) {
    await insertWords(
      tx,
      after,
      [...current].filter((word) => !kept.has(word)),
    );
  }
};
