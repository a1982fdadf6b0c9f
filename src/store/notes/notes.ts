/** The notes of a workspace, for all of its agents or for named ones. */

import { type AgentId, idToBytes, type NoteId, type WorkspaceId } from '../../kernel/ids.ts';
import { wordsOf } from '../../kernel/text/fold.ts';
import { preparedInsert, preparedNumberedInsert } from '../prepared-insert.ts';
import { below, countRows, deleteRows, findRow, findValue, listRows, listValues, updateRows } from '../rows.ts';
import { putWords, type Word, type WordSource } from '../search/word-search.ts';
import type { Db, Tx } from '../store.ts';
import { type Note, noteReaders, notes } from './notes-mappings.ts';

/** Distinct words of a note that are searchable. 60 000 characters of English have as many. */
const MAX_WORDS = 2_500;

const noteWords = ({ title, body }: Note): Word[] =>
  wordsOf(`${title ?? ''}\n${body}`, MAX_WORDS).map((word) => ({ kind: 'w', word }));

const readerWords = (readers: readonly Reader[]): Word[] =>
  [...new Set(readers)].map((reader) => ({ kind: 'r', word: toReaderWord(reader) }));

/** An agent, or a workspace in the place of all its agents. */
export type Reader = AgentId | WorkspaceId;

/** A reader as the index has it. */
export const toReaderWord = (reader: Reader): string => Buffer.from(idToBytes(reader)).toString('hex');

const insertRow = preparedNumberedInsert(notes.omit('seq'), 'seq');
const insertReader = preparedInsert(noteReaders, (conflict) => conflict.doNothing());

export const insertNote = async (tx: Tx, note: Omit<Note, 'seq'>, readers: readonly Reader[]): Promise<Note> => {
  const stored = { ...note, seq: await insertRow(tx, note) };
  await setReaders(tx, stored, readers);
  return stored;
};

/** Replaces what the note is found by. */
export const indexNote = (tx: Pick<Tx, 'db'>, note: Note, readers: readonly Reader[]): Promise<void> =>
  putWords(tx, 'note_terms', [{ ...note, words: [...noteWords(note), ...readerWords(readers)] }]);

/** Replaces the readers of a note. */
export const setReaders = async (tx: Tx, note: Note, readers: readonly Reader[]): Promise<void> => {
  const { seq } = note;
  await deleteRows(tx, noteReaders, { noteSeq: seq });
  for (const readerId of readers) await insertReader(tx, { readerId, noteSeq: seq });
  await indexNote(tx, note, readers);
};

export const listReaders = (db: Db, { seq }: Note): Promise<Reader[]> =>
  listValues(db, noteReaders, 'readerId', { noteSeq: seq });

/** How many notes the workspace has; its limit bounds the count. */
export const countNotes = (db: Db, workspaceId: WorkspaceId): Promise<number> => countRows(db, notes, { workspaceId });

/** @param readers only where one of these reads it; null: in any case */
export const findNote = async (
  db: Db,
  workspaceId: WorkspaceId,
  id: NoteId,
  readers: readonly Reader[] | null,
): Promise<Note | null> => {
  let query = db
    .selectFrom('notes')
    .selectAll()
    .where('id', '=', idToBytes(id))
    .where('workspace_id', '=', idToBytes(workspaceId));
  if (readers) {
    query = query.where((eb) =>
      eb.exists(
        eb
          .selectFrom('note_readers')
          .select('note_seq')
          .where('reader_id', 'in', readers.map(idToBytes))
          .whereRef('note_seq', '=', 'notes.seq'),
      ),
    );
  }
  const row = await query.executeTakeFirst();
  return row ? notes.read(row) : null;
};

export const updateNote = async (tx: Tx, after: Note): Promise<void> => {
  const { seq, ...changed } = after;
  await updateRows(tx, notes, { seq }, changed);
  await indexNote(tx, after, await listReaders(tx.db, after));
};

export const deleteNote = async (tx: Tx, note: Note): Promise<void> => {
  // Its readers go with it.
  await deleteRows(tx, notes, { seq: note.seq });
};

export const noteTexts: WordSource = {
  table: 'note_terms',
  readWords: async (db, seq) => (await listRows(db, notes, { seq })).flatMap(noteWords),
};

/** Bounds the reading of a list of notes: up to the first beyond `chars` of bodies, with pauses for other work. */
export interface NoteReading {
  chars: number;
  pause: () => Promise<unknown>;
}

/** The notes of these seqs, in their order; those that are gone are left out. */
export const findNotesBySeq = async (
  db: Db,
  seqs: readonly number[],
  { chars, pause }: NoteReading,
): Promise<Note[]> => {
  const found: Note[] = [];
  let read = 0;
  for (const seq of seqs) {
    if (read > chars) break;
    const note = await findRow(db, notes, { seq });
    if (!note) continue;
    found.push(note);
    read += note.body.length;
    await pause();
  }
  return found;
};

const seqsReadBy = (db: Db, readerId: Reader, before: number | null, limit: number): Promise<number[]> => {
  const read = { readerId, ...(before !== null && { noteSeq: below(before) }) };
  return listValues(db, noteReaders, 'noteSeq', read, { order: { noteSeq: 'desc' }, limit });
};

/**
 * The seqs of notes, newest first, those created before the note of that seq; null: from the newest.
 * @param readers only what one of these reads; null: all
 */
export const listNoteSeqs = async (
  db: Db,
  workspaceId: WorkspaceId,
  readers: readonly Reader[] | null,
  before: number | null,
  limit: number,
): Promise<number[]> => {
  if (!readers) {
    const older = { workspaceId, ...(before !== null && { seq: below(before) }) };
    return listValues(db, notes, 'seq', older, { order: { seq: 'desc' }, limit });
  }
  const seqs = new Set<number>();
  for (const reader of readers) for (const seq of await seqsReadBy(db, reader, before, limit)) seqs.add(seq);
  return [...seqs].toSorted((a, b) => b - a).slice(0, limit);
};

/** The workspace that has a note of that id; null where none has. */
export const findWorkspaceOfNote = (db: Db, id: NoteId): Promise<WorkspaceId | null> =>
  findValue(db, notes, 'workspaceId', { id });
