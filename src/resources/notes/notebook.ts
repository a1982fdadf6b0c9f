/** The notes that a caller reads: a page of them, and one by its id. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { requireFound } from '../../kernel/errors.ts';
import type { NoteId, WorkspaceId } from '../../kernel/ids.ts';
import { byPosition, cutPage, type Page, readPage, withinSize } from '../../kernel/page.ts';
import { queryWords } from '../../kernel/text/query-words.ts';
import {
  findNote,
  findNotesBySeq,
  listNoteSeqs,
  noteTexts,
  type Reader,
  toReaderWord,
} from '../../store/notes/notes.ts';
import type { Note, NoteMaker } from '../../store/notes/notes-mappings.ts';
import { searchWords } from '../../store/search/word-search.ts';
import type { Db } from '../../store/store.ts';

/** Characters of a page: a page of long notes ends early, and its cursor continues. */
const MAX_PAGE_CHARS = 1_000_000;

/** Selects notes: those with one of `readers`, or all of the workspace. */
export interface Notebook {
  workspaceId: WorkspaceId;
  readers: readonly Reader[] | null;
  /** The maker of new text. */
  maker: NoteMaker;
  /** The readers of new notes. */
  shares: readonly Reader[];
}

interface ListQuery {
  q?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

const bySeq = byPosition((seq: number) => seq);

const PAGE = { chars: MAX_PAGE_CHARS, pause: yieldToLoop };

const withinPage = (rows: readonly Note[]): Note[] => withinSize(rows, ({ body }) => body.length, MAX_PAGE_CHARS);

export const requireNote = async (db: Db, { workspaceId, readers }: Notebook, id: NoteId): Promise<Note> =>
  requireFound(await findNote(db, workspaceId, id, readers), 'note_not_found_or_not_granted');

const search = async (db: Db, { workspaceId, readers }: Notebook, { q = '', limit, cursor }: ListQuery) => {
  const wanted = { workspaceId, words: queryWords(q), kinds: ['w'], limit, cursor } as const;
  const read = readers?.map(toReaderWord) ?? null;
  const found = await searchWords(db, noteTexts, { ...wanted, readers: read }, yieldToLoop);
  const notes = await findNotesBySeq(db, found.seqs, PAGE);
  const rows = withinPage(notes);
  const isWhole = rows.length === notes.length;
  return { rows, next_cursor: isWhole ? found.next_cursor : found.cursorAfter(rows.at(-1)?.seq) };
};

export const listNotebook = async (db: Db, notebook: Notebook, query: ListQuery): Promise<Page<Note>> => {
  if (query.q !== undefined) return search(db, notebook, query);
  // A note that is deleted before it is read leaves a shorter page, not the last one.
  const page = await readPage<number, number>(query, bySeq, (before, limit) =>
    listNoteSeqs(db, notebook.workspaceId, notebook.readers, before, limit),
  );
  const rows = withinPage(await findNotesBySeq(db, page.rows, PAGE));
  const shown = rows.map(({ seq }) => seq);
  return { rows, next_cursor: cutPage(page, bySeq, shown).next_cursor };
};
