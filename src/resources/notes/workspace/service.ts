/** Notes of a workspace, worked with by a person. */

import { personMaker } from '../../../access/maker.ts';
import { type Place, reachingWorkspace } from '../../../access/reach.ts';
import type { PersonCaller } from '../../../kernel/caller.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { AgentId, NoteId } from '../../../kernel/ids.ts';
import type { Handlers } from '../../../kernel/operation.ts';
import { findAgent, findAgentById } from '../../../store/accounts/agents.ts';
import { findWorkspaceOfNote, listReaders, type Reader } from '../../../store/notes/notes.ts';
import type { Note, NoteMaker } from '../../../store/notes/notes-mappings.ts';
import type { Db } from '../../../store/store.ts';
import { createNotebooks, type Notebook, type NotebookNeeds } from '../notebook.ts';
import { viewNote } from '../view.ts';
import type { SharedNoteView, workspaceNotesContract } from './contract.ts';

const toMaker = ({ person = null }: { person?: string | null }): NoteMaker => personMaker(person);

const toWholeNotebook = (place: Place): Notebook => ({
  workspaceId: place.workspaceId,
  readers: null,
  maker: toMaker(place),
  shares: [place.workspaceId],
});

export const createWorkspaceNotes = (needs: NotebookNeeds): Handlers<typeof workspaceNotesContract> => {
  const { read } = needs.store;
  const notebooks = createNotebooks(needs);

  const view = async (note: Note, db: Db = read): Promise<SharedNoteView> => {
    const readers = await listReaders(db, note);
    const shown = viewNote(note, toMaker({}));
    if (readers.includes(note.workspaceId)) return { ...shown, agents: null };
    const agents = await Promise.all(readers.map((id) => findAgentById(db, id as AgentId)));
    // Agents that were removed read no more.
    return { ...shown, agents: agents.flatMap((agent) => (agent ? [agent.handle] : [])).sort() };
  };

  /** @throws ApiError agent_not_found, also for an agent of another workspace */
  const readersNamed = async ({ workspaceId }: Place, names: readonly string[] | null): Promise<Reader[]> => {
    if (names === null) return [workspaceId];
    const readers: Reader[] = [];
    for (const name of names) {
      const agent = await findAgent(read, name);
      if (agent?.workspaceId !== workspaceId) throw new ApiError('agent_not_found', { fields: { agent: name } });
      readers.push(agent.id);
    }
    return readers;
  };

  const handlers = reachingWorkspace<typeof workspaceNotesContract, 'note_id'>(read, 'note_id', {
    list: async (place, query) => {
      const { rows, next_cursor } = await notebooks.list(toWholeNotebook(place), query);
      return { notes: await Promise.all(rows.map((note) => view(note))), next_cursor };
    },

    get: async (place, { id }) => view(await notebooks.get(toWholeNotebook(place), id)),

    create: async (place, { title, body }) => view(await notebooks.create(toWholeNotebook(place), { title, body })),

    update: async (place, { id, title, body, if_revision: ifRevision }) => {
      const content = { ...(title !== undefined && { title }), ...(body !== undefined && { body }) };
      return view(await notebooks.update(toWholeNotebook(place), id, content, ifRevision));
    },

    remove: async (place, { id }) => {
      await notebooks.remove(toWholeNotebook(place), id);
      return { deleted: true };
    },

    grant: async (place, { id, agents }, { record }) =>
      notebooks.grant(toWholeNotebook(place), id, await readersNamed(place, agents), async (tx, note) => {
        const shared = await view(note, tx.db);
        const act = {
          workspaceId: place.workspaceId,
          subject: note.title ?? id,
          detail: { note_id: id, agents: shared.agents },
        };
        return record(tx, act, shared);
      }),
  });

  /** To the operator, an id alone says which workspace is meant. @throws ApiError note_not_found_or_not_granted */
  const named = async <T extends { workspace?: string | undefined; note_id: NoteId }>(
    caller: PersonCaller,
    input: T,
  ): Promise<T> => {
    if (caller.kind !== 'operator' || input.workspace !== undefined) return input;
    const workspace = await findWorkspaceOfNote(read, input.note_id);
    if (workspace === null) throw new ApiError('note_not_found_or_not_granted');
    return { ...input, workspace };
  };

  return {
    ...handlers,
    get: async (caller, input, call) => handlers.get(caller, await named(caller, input), call),
    grant: async (caller, input, call) => handlers.grant(caller, await named(caller, input), call),
  };
};
