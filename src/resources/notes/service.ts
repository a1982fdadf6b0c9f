/** The notes resource: an agent works with the notes that are for all agents of its workspace, or granted to it. */

import { type AgentCaller, mailboxOf } from '../../kernel/caller.ts';
import type { Handlers } from '../../kernel/operation.ts';
import type { notesContract } from './contract.ts';
import { createNotebooks, type Notebook, type NotebookNeeds } from './notebook.ts';
import { viewNote } from './view.ts';

/** @throws ApiError no_identity where no mailbox backs the caller */
const toNotebook = (caller: AgentCaller): Notebook => {
  mailboxOf(caller);
  return { workspaceId: caller.workspaceId, readers: [caller.workspaceId, caller.agentId] };
};

export const createNotes = (needs: NotebookNeeds): Handlers<typeof notesContract> => {
  const notebooks = createNotebooks(needs);
  return {
    list: async (caller, query) => {
      const { rows, next_cursor } = await notebooks.list(toNotebook(caller), query);
      return { notes: rows.map(viewNote), next_cursor };
    },

    create: async (caller, note) => viewNote(await notebooks.create(toNotebook(caller), note)),

    get: async (caller, { id }) => viewNote(await notebooks.get(toNotebook(caller), id)),

    update: async (caller, { id, title, body }) =>
      viewNote(
        await notebooks.update(toNotebook(caller), id, {
          ...(title !== undefined && { title }),
          ...(body !== undefined && { body }),
        }),
      ),

    remove: async (caller, { id }) => {
      await notebooks.remove(toNotebook(caller), id);
      return { deleted: true };
    },
  };
};
