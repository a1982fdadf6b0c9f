/** The notes of a workspace, for agents and persons alike. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { NoteId, WorkspaceId } from '../../kernel/ids.ts';
import { byPosition, cutPage, type Page, readPage, withinSize } from '../../kernel/page.ts';
import { queryWords } from '../../kernel/text/query-words.ts';
import {
  countNotes,
  deleteNote,
  findNote,
  findNotesBySeq,
  insertNote,
  listNoteSeqs,
  noteTexts,
  type Reader,
  setReaders,
  toReaderWord,
  updateNote,
} from '../../store/notes/notes.ts';
import type { Note, NoteMaker } from '../../store/notes/notes-mappings.ts';
import { searchWords } from '../../store/search/word-search.ts';
import type { Db, Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';

/** Bounds the notes of a workspace, against agents that fill it. */
const MAX_NOTES = 10_000;
/** Characters of a page: a page of long notes ends early, and its cursor continues. */
const MAX_PAGE_CHARS = 1_000_000;

export type NotebookNeeds = Needs<'store' | 'clock' | 'newId'>;

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

const requireNote = async (db: Db, { workspaceId, readers }: Notebook, id: NoteId): Promise<Note> =>
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

export const createNotebooks = ({ store, clock, newId }: NotebookNeeds) => {
  const { read } = store;

  return {
    list: async (notebook: Notebook, query: ListQuery): Promise<Page<Note>> => {
      if (query.q !== undefined) return search(read, notebook, query);
      // A note that is deleted before it is read leaves a shorter page, not the last one.
      const page = await readPage<number, number>(query, bySeq, (before, limit) =>
        listNoteSeqs(read, notebook.workspaceId, notebook.readers, before, limit),
      );
      const rows = withinPage(await findNotesBySeq(read, page.rows, PAGE));
      const shown = rows.map(({ seq }) => seq);
      return { rows, next_cursor: cutPage(page, bySeq, shown).next_cursor };
    },

    get: (notebook: Notebook, id: NoteId): Promise<Note> => requireNote(read, notebook, id),

    create: (notebook: Notebook, { title, body }: Pick<Note, 'title' | 'body'>): Promise<Note> => {
      const { workspaceId, maker, shares } = notebook;
      const now = clock.now();
      const note = {
        id: newId<'note'>(),
        workspaceId,
        title,
        body,
        createdAt: now,
        updatedAt: now,
        ...maker,
        revision: 1,
      };
      return store.write(async (tx) => {
        if ((await countNotes(tx.db, workspaceId)) >= MAX_NOTES) {
          throw new ApiError('invalid_request', {
            hint: `A workspace has at most ${MAX_NOTES} notes. Delete some.`,
          });
        }
        return insertNote(tx, note, shares);
      });
    },

    /** @param ifRevision the revision that the change expects; undefined: any */
    update: (
      notebook: Notebook,
      id: NoteId,
      content: Partial<Pick<Note, 'title' | 'body'>>,
      ifRevision?: number,
    ): Promise<Note> => {
      if (Object.keys(content).length === 0) throw new ApiError('nothing_to_update');
      return store.write(async (tx) => {
        const before = await requireNote(tx.db, notebook, id);
        if (ifRevision !== undefined && ifRevision !== before.revision) {
          throw new ApiError('revision_conflict', { fields: { revision: before.revision } });
        }
        const words = { ...content, ...notebook.maker, revision: before.revision + 1 };
        const after = { ...before, ...words, updatedAt: clock.now() };
        await updateNote(tx, after);
        return after;
      });
    },

    remove: (notebook: Notebook, id: NoteId): Promise<void> =>
      store.write(async (tx) => deleteNote(tx, await requireNote(tx.db, notebook, id))),

    /** Replaces the readers of a note. @param inTransaction runs in the same transaction */
    grant: <T>(
      notebook: Notebook,
      id: NoteId,
      readers: readonly Reader[],
      inTransaction: (tx: Tx, note: Note) => Promise<T>,
    ): Promise<T> =>
      store.write(async (tx) => {
        const note = await requireNote(tx.db, notebook, id);
        await setReaders(tx, note, readers);
        return inTransaction(tx, note);
      }),
  };
};
