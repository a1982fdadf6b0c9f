/** Notes of a workspace, as owners and the operator work with them; they alone say which agents read one. */

import { z } from 'zod';
import { agentInput, nextCursor, ofWorkspace } from '../../../kernel/fields.ts';
import { noteShape, notesContract } from '../contract.ts';

const MAX_AGENTS = 100;

const sharedNoteShape = noteShape.extend({
  /** Handles; null: all agents of the workspace. */
  agents: z.array(z.string()).nullable(),
});
export type SharedNoteView = z.infer<typeof sharedNoteShape>;

const NOT_FOUND = ['note_not_found_or_not_granted'] as const;
const { list, get, create, update, remove } = notesContract;

export const workspaceNotesContract = {
  list: ofWorkspace('list_workspace_notes', {
    ...list,
    summary: "Lists or searches a workspace's notes, newest first.",
    output: z.object({ notes: z.array(sharedNoteShape), next_cursor: nextCursor }),
    errors: [],
  }),
  get: ofWorkspace('get_workspace_note', { ...get, output: sharedNoteShape, errors: NOT_FOUND }, 'note_id'),
  create: ofWorkspace('add_workspace_note', { ...create, output: sharedNoteShape, errors: ['body_required'] }),
  update: ofWorkspace(
    'change_workspace_note',
    {
      ...update,
      output: sharedNoteShape,
      errors: [...NOT_FOUND, 'nothing_to_update', 'body_required', 'revision_conflict'],
    },
    'note_id',
  ),
  remove: ofWorkspace('remove_workspace_note', { ...remove, errors: NOT_FOUND }, 'note_id'),
  grant: ofWorkspace(
    'grant_note',
    {
      activity: 'note.grant',
      summary: 'Says which agents of the workspace read a note, in the place of those who did.',
      input: z.strictObject({
        id: get.input.shape.id,
        agents: z.array(agentInput).max(MAX_AGENTS).nullable().describe('Null: all of them'),
      }),
      output: sharedNoteShape,
      errors: [...NOT_FOUND, 'agent_not_found'],
    },
    'note_id',
  ),
};
