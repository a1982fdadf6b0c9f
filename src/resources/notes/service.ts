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
import { findWorkspaceOfNote, listReaders, type Reader } from '../../store/notes/notes.ts';
import type { Note, NoteMaker } from '../../store/notes/notes-mappings.ts';
import type { Db } from '../../store/store.ts';
import { type NoteView, noteShape, type notesContract, type SharedNoteView } from './contract.ts';
import { createNotebooks, type Notebook, type NotebookNeeds } from './notebook.ts';

/** @param reader to recognise its own notes; only persons see names of persons */
const viewNote = viewOf(noteShape, ({ makerKind, makerId, makerName }: Note, reader: NoteMaker) => ({
  made_by: makerKind && {
    kind: makerKind,
    name: makerKind === 'person' && reader.makerKind !== 'person' ? null : makerName,
    own: makerId !== null && makerId === reader.makerId,
  },
}));

export const createNotes = (needs: NotebookNeeds): Handlers<typeof notesContract> => {
  const { clock, store } = needs;
  const { read } = store;
  const notebooks = createNotebooks(needs);

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
      const { rows, next_cursor } = await notebooks.list(notebook, query);
      return { notes: await Promise.all(rows.map((note) => view(caller, note, notebook))), next_cursor };
    },

    create: async (caller, note) => {
      const notebook = await open(caller);
      return view(caller, await notebooks.create(notebook, note), notebook);
    },

    get: async (caller, { id }) => {
      const notebook = await openWith(id, caller);
      return view(caller, await notebooks.get(notebook, id), notebook);
    },

    update: async (caller, { id, title, body, if_revision: ifRevision }) => {
      const notebook = await open(caller);
      const content = { ...(title !== undefined && { title }), ...(body !== undefined && { body }) };
      return view(caller, await notebooks.update(notebook, id, content, ifRevision), notebook);
    },

    remove: async (caller, { id }) => {
      await notebooks.remove(await open(caller), id);
      return { deleted: true };
    },

    grant: async (caller, { id, agents }, { record }) => {
      const notebook = await openWith(id, caller);
      const { workspaceId } = notebook;
      return notebooks.grant(notebook, id, await readersNamed(workspaceId, agents), async (tx, note) => {
        const shared = await share(note, notebook, tx.db);
        const detail = { note_id: id, agents: shared.agents };
        return record(tx, { workspaceId, subject: note.title ?? id, detail }, shared);
      });
    },
  };
};
