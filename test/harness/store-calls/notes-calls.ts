import * as notes from '../../../src/store/notes/notes.ts';
import type { Note } from '../../../src/store/notes/notes-mappings.ts';
import { type CallContext, type CallsOf, unknownId } from './call.ts';

const manyWords = Array.from({ length: 120 }, (_, at) => `word${at}`).join(' ');

const READING = { chars: 1_000, pause: async () => {} };

const inserted = ({ tx, small, now }: CallContext): Promise<Note> => {
  const { workspaceId } = small;
  const note = {
    id: small.newId<'note'>(),
    workspaceId,
    title: 'Fair',
    body: manyWords,
    createdAt: now,
    updatedAt: now,
    ...{ makerKind: null, makerId: null, makerName: null, revision: 1 },
  };
  return notes.insertNote(tx, note, [workspaceId]);
};

export const noteCalls: CallsOf<typeof notes> = {
  toReaderWord: null,
  indexNote: async (context) => notes.indexNote(context.tx, await inserted(context), [context.small.agentId]),
  insertNote: inserted,
  setReaders: async (context) => notes.setReaders(context.tx, await inserted(context), [context.small.agentId]),
  listReaders: async (context) => notes.listReaders(context.db, await inserted(context)),
  countNotes: ({ db, small }) => notes.countNotes(db, small.workspaceId),
  findNote: async ({ db, small }) => [
    await notes.findNote(db, small.workspaceId, unknownId(), null),
    await notes.findNote(db, small.workspaceId, unknownId(), [small.workspaceId, small.agentId]),
  ],
  findWorkspaceOfNote: ({ db }) => notes.findWorkspaceOfNote(db, unknownId()),
  updateNote: async (context) => {
    const before = await inserted(context);
    const after = { ...before, body: manyWords.slice(0, -8) };
    await notes.updateNote(context.tx, after);
    await notes.updateNote(context.tx, { ...after, body: 'none of these' });
  },
  deleteNote: async (context) => notes.deleteNote(context.tx, await inserted(context)),
  findNotesBySeq: ({ db }) => notes.findNotesBySeq(db, [1], READING),
  listNoteSeqs: async ({ db, small }) => [
    await notes.listNoteSeqs(db, small.workspaceId, null, null, 25),
    await notes.listNoteSeqs(db, small.workspaceId, null, 7, 25),
    await notes.listNoteSeqs(db, small.workspaceId, [small.workspaceId, small.agentId], null, 25),
    await notes.listNoteSeqs(db, small.workspaceId, [small.agentId], 7, 25),
  ],
};
