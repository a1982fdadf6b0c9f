/** Notes of the workspace: the interface's sections 2 and 4. */

import { z } from 'zod';
import {
  agentInput,
  bodyInput,
  cursorInput,
  idOutput,
  limitInput,
  nextCursor,
  nullableLine,
  pathId,
  prose,
  timeOutput,
} from '../../kernel/fields.ts';
import { EVERYONE, field, operation, personOperation } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';
import { untrustedText } from '../../kernel/tools/untrusted-fields.ts';

export const noteShape = named(
  'Note',
  z.object({
    id: idOutput,
    title: untrustedText(z.string().nullable(), 'others'),
    body: untrustedText(z.string(), 'others'),
    made_by: z
      .object({
        kind: z.enum(['agent', 'connection', 'person']),
        name: z.string().nullable().describe('A handle, or the name that an application gives itself; null: a person'),
        own: z.boolean().describe('Whether you wrote it'),
      })
      .nullable()
      .describe('Of the words that it has; null: not recorded'),
    revision: z.int().describe('Give it as if_revision with a change'),
    created_at: timeOutput,
    updated_at: timeOutput,
  }),
);
export type NoteView = z.infer<typeof noteShape>;

/** Only persons see, and set, which agents read a note. */
const sharedNoteShape = noteShape.extend({
  agents: z.array(z.string()).nullable().describe('Handles; null: all agents of the workspace'),
});
export type SharedNoteView = z.infer<typeof sharedNoteShape>;
const toPersons = { output: sharedNoteShape };

/** Characters. */
const MAX_BODY = 100_000;
const MAX_TITLE = 200;
const MAX_QUERY = 200;

const MAX_AGENTS = 100;

/** Octets of a request: the longest body, with every character as a JSON escape. */
const BODY_LIMIT = 2 * 1024 * 1024;

const noteId = pathId<'note'>('note_not_found_or_not_granted');
const noteBody = field(
  { missing: 'body_required', null: 'body_required', empty: 'body_required' },
  bodyInput(MAX_BODY),
);
const titleInput = nullableLine(MAX_TITLE);

const NOT_FOUND = ['note_not_found_or_not_granted', 'no_identity'] as const;

export const notesContract = {
  list: operation({
    name: 'list_notes',
    audience: EVERYONE,
    route: 'GET /v1/notes',
    scope: 'notes',
    summary: 'Lists or searches notes, those that you may read, newest first.',
    input: z.strictObject({
      q: prose(z.string().trim().min(1).max(MAX_QUERY))
        .optional()
        .describe('Words, or their beginnings; all are wanted'),
      limit: limitInput(100, 25),
      cursor: cursorInput,
    }),
    output: z.object({ notes: z.array(noteShape), next_cursor: nextCursor }),
    persons: { output: z.object({ notes: z.array(sharedNoteShape), next_cursor: nextCursor }) },
    errors: ['no_identity'],
    tool: { when: 'to see what agents of the workspace wrote down', returns: 'notes and next_cursor or null' },
  }),
  create: operation({
    name: 'create_note',
    audience: EVERYONE,
    route: 'POST /v1/notes',
    scope: 'notes',
    summary:
      'Writes a note, which every agent of the workspace reads; one of an application, the agents that it is for.',
    bodyLimit: BODY_LIMIT,
    example: { title: 'Fair', body: 'We have stand 12, from Tuesday on.' },
    input: z.strictObject({ title: titleInput.default(null), body: noteBody }),
    output: noteShape,
    persons: toPersons,
    statuses: [201],
    errors: ['no_identity'],
  }),
  get: operation({
    name: 'get_note',
    audience: EVERYONE,
    route: 'GET /v1/notes/{id}',
    scope: 'notes',
    summary: 'One note in full.',
    // For the operator, an id alone identifies the workspace.
    workspace: 'optional',
    input: z.strictObject({ id: noteId }),
    output: noteShape,
    persons: toPersons,
    errors: NOT_FOUND,
  }),
  update: operation({
    name: 'update_note',
    audience: EVERYONE,
    route: 'PATCH /v1/notes/{id}',
    scope: 'notes',
    summary: 'Changes a note; fields left out keep their value, title null clears it.',
    bodyLimit: BODY_LIMIT,
    example: { body: 'We have stand 13, from Tuesday on.' },
    input: z.strictObject({
      id: noteId,
      title: titleInput.optional(),
      body: noteBody.optional(),
      if_revision: z.int().min(1).optional().describe('Refused where the note has another revision by now'),
    }),
    output: noteShape,
    persons: toPersons,
    errors: [...NOT_FOUND, 'nothing_to_update', 'revision_conflict'],
  }),
  remove: operation({
    name: 'delete_note',
    activity: 'note.remove',
    audience: EVERYONE,
    route: 'DELETE /v1/notes/{id}',
    scope: 'notes',
    summary: 'Deletes a note, for all agents.',
    input: z.strictObject({ id: noteId }),
    output: z.object({ deleted: z.literal(true) }),
    errors: NOT_FOUND,
  }),
  /** Says which agents of the workspace read a note, in the place of those who did. */
  grant: personOperation({
    workspace: 'optional',
    activity: 'note.grant',
    input: z.strictObject({
      id: noteId,
      agents: z.array(agentInput).max(MAX_AGENTS).nullable().describe('Null: all of them'),
    }),
    output: sharedNoteShape,
  }),
};
