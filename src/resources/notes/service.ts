/** The notes resource: an agent works with the notes that are for all agents of its workspace, or granted to it. */

import { findMaker } from '../../access/maker.ts';
import { type AgentCaller, mailboxOf } from '../../kernel/caller.ts';
import type { Handlers } from '../../kernel/operation.ts';
import type { notesContract } from './contract.ts';
import { createNotebooks, type Notebook, type NotebookNeeds } from './notebook.ts';
import { viewNote } from './view.ts';

export const createNotes = (needs: NotebookNeeds): Handlers<typeof notesContract> => {
  const notebooks = createNotebooks(needs);

  /** @throws ApiError no_identity where no mailbox backs the caller */
  const open = async (caller: AgentCaller): Promise<Notebook> => {
    mailboxOf(caller);
    const { workspaceId, agentId } = caller;
    const { maker, agents } = await findMaker(needs.store.read, caller, needs.clock.now());
    // What a connection for some agents writes is those agents' to read.
    return { workspaceId, readers: [workspaceId, agentId], maker, shares: agents ?? [workspaceId] };
  };

  return {
    list: async (caller, query) => {
      const notebook = await open(caller);
      const { rows, next_cursor } = await notebooks.list(notebook, query);
      return { notes: rows.map((note) => viewNote(note, notebook.maker)), next_cursor };
    },

    create: async (caller, note) => {
      const notebook = await open(caller);
      return viewNote(await notebooks.create(notebook, note), notebook.maker);
    },

    get: async (caller, { id }) => {
      const notebook = await open(caller);
      return viewNote(await notebooks.get(notebook, id), notebook.maker);
    },

    update: async (caller, { id, title, body, if_revision: ifRevision }) => {
      const notebook = await open(caller);
      const content = { ...(title !== undefined && { title }), ...(body !== undefined && { body }) };
      return viewNote(await notebooks.update(notebook, id, content, ifRevision), notebook.maker);
    },

    remove: async (caller, { id }) => {
      await notebooks.remove(await open(caller), id);
      return { deleted: true };
    },
  };
};
