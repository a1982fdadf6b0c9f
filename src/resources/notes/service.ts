/**
 * The notes resource: an agent works with notes for all agents of its workspace, or granted to it; a person with all
 * notes.
 */

import { findMaker } from '../../access/maker.ts';
import { viewOf } from '../../access/view-of.ts';
import { type Caller, mailboxOf, type WorkspaceCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { CallerOf, Handlers } from '../../kernel/handlers.ts';
import type { AgentId, NoteId, WorkspaceId } from '../../kernel/ids.ts';
import { findAgent, findAgentById } from '../../store/accounts/agents.ts';
import {
  countNotes,
  deleteNote,
  findWorkspaceOfNote,
  insertNote,
  listReaders,
  type Reader,
  setReaders,
  updateNote,
} from '../../store/notes/notes.ts';
import type { Note, NoteMaker } from '../../store/notes/notes-mappings.ts';
import type { Db } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import { type NoteView, noteShape, type notesContract, type SharedNoteView } from './contract.ts';
import { listNotebook, type Notebook, requireNote } from './notebook.ts';

/** Bounds the notes of a workspace, against agents that fill it. */
const MAX_NOTES = 10_000;

/** @param reader to recognise its own notes; only persons see names of persons */
const viewNote = viewOf(noteShape, ({ makerKind, makerId, makerName }: Note, reader: NoteMaker) => ({
  made_by: makerKind && {
    kind: makerKind,
    name: makerKind === 'person' && reader.makerKind !== 'person' ? null : makerName,
    own: makerId !== null && makerId === reader.makerId,
  },
}));

export const createNotes = ({
  store,
  clock,
  newId,
}: Needs<'store' | 'clock' | 'newId'>): Handlers<typeof notesContract> => {
  const { read } = store;

  /** @throws ApiError no_identity where no mailbox backs an agent */
  const open = async (caller: WorkspaceCaller): Promise<Notebook> => {
    const { workspaceId } = caller;
    if (caller.kind === 'agent') mailboxOf(caller);
    const { maker, agents } = await findMaker(read, caller, clock.now());
    const readers = caller.kind === 'agent' ? [workspaceId, caller.agentId] : null;
    // Only the agents of a connection read its new notes.
    return { workspaceId, readers, maker, shares: agents ?? [workspaceId] };
  };

  /** @throws ApiError note_not_found_or_not_granted where the operator names no workspace, and no note has the id */
  const openWith = async (id: NoteId, caller: CallerOf<typeof notesContract.get>): Promise<Notebook> => {
    const workspaceId = caller.workspaceId ?? (await findWorkspaceOfNote(read, id));
    if (workspaceId === null) throw new ApiError('note_not_found_or_not_granted');
    return open({ ...caller, workspaceId });
  };

  const share = async (note: Note, notebook: Notebook, db: Db = read): Promise<SharedNoteView> => {
    const readers = await listReaders(db, note);
    const shown = viewNote(note, notebook.maker);
    if (readers.includes(note.workspaceId)) return { ...shown, agents: null };
    const agents = await Promise.all(readers.map((id) => findAgentById(db, id as AgentId)));
    // Removed agents are no readers any more.
    return { ...shown, agents: agents.flatMap((agent) => (agent ? [agent.handle] : [])).sort() };
  };

  const view = async (caller: Caller, note: Note, notebook: Notebook): Promise<NoteView | SharedNoteView> =>
    caller.kind === 'agent' ? viewNote(note, notebook.maker) : share(note, notebook);

  /** @throws ApiError agent_not_found, also for an agent of another workspace */
  const readersNamed = async (workspaceId: WorkspaceId, names: readonly string[] | null): Promise<Reader[]> => {
    if (names === null) return [workspaceId];
    const readers: Reader[] = [];
    for (const name of names) {
      const agent = await findAgent(read, name);
      if (agent?.workspaceId !== workspaceId) throw new ApiError('agent_not_found', { fields: { agent: name } });
      readers.push(agent.id);
    }
    return readers;
  };

  return {
    list: async (caller, query) => {
      const notebook = await open(caller);
      const { rows, next_cursor } = await listNotebook(read, notebook, query);
      return { notes: await Promise.all(rows.map((note) => view(caller, note, notebook))), next_cursor };
    },

    create: async (caller, { title, body }) => {
      const notebook = await open(caller);
      const { workspaceId, maker, shares } = notebook;
      const now = clock.now();
      const written = { id: newId<'note'>(), workspaceId, title, body, createdAt: now, updatedAt: now, revision: 1 };
      const note = await store.write(async (tx) => {
        if ((await countNotes(tx.db, workspaceId)) >= MAX_NOTES) {
          throw new ApiError('invalid_request', { hint: `A workspace has at most ${MAX_NOTES} notes. Delete some.` });
        }
        return insertNote(tx, { ...written, ...maker }, shares);
      });
      return view(caller, note, notebook);
    },

    get: async (caller, { id }) => {
      const notebook = await openWith(id, caller);
      return view(caller, await requireNote(read, notebook, id), notebook);
    },

    update: async (caller, { id, title, body, if_revision: ifRevision }) => {
      const notebook = await open(caller);
      const content = { ...(title !== undefined && { title }), ...(body !== undefined && { body }) };
      if (Object.keys(content).length === 0) throw new ApiError('nothing_to_update');
      const note = await store.write(async (tx) => {
        const before = await requireNote(tx.db, notebook, id);
        if (ifRevision !== undefined && ifRevision !== before.revision) {
          throw new ApiError('revision_conflict', { fields: { revision: before.revision } });
        }
        const words = { ...content, ...notebook.maker, revision: before.revision + 1 };
        const after = { ...before, ...words, updatedAt: clock.now() };
        await updateNote(tx, after);
        return after;
      });
      return view(caller, note, notebook);
    },

    remove: async (caller, { id }, { record }) => {
      const notebook = await open(caller);
      const { workspaceId } = notebook;
      return store.write(async (tx) => {
        const note = await requireNote(tx.db, notebook, id);
        await deleteNote(tx, note);
        return record(tx, { workspaceId, subject: note.title ?? id, detail: { note_id: id } }, { deleted: true });
      });
    },

    grant: async (caller, { id, agents }, { record }) => {
      const notebook = await openWith(id, caller);
      const { workspaceId } = notebook;
      const readers = await readersNamed(workspaceId, agents);
      return store.write(async (tx) => {
        const note = await requireNote(tx.db, notebook, id);
        await setReaders(tx, note, readers);
        const shared = await share(note, notebook, tx.db);
        const detail = { note_id: id, agents: shared.agents };
        return record(tx, { workspaceId, subject: note.title ?? id, detail }, shared);
      });
    },
  };
};
