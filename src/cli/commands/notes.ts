/** `postroom notes` */

import { notesContract } from '../../resources/notes/contract.ts';
import { command } from '../command.ts';
import { wrongUsage } from '../failure.ts';
import { flag, optional, repeated, required } from '../parameters.ts';
import { details, printable, table } from '../table.ts';
import { withOperations } from '../with-operations.ts';

/** As much as an agent gets at once. */
const LISTED = 100;

const ofWorkspace = { workspace: required('W', 'name, slug or id') };

const byId = { workspace: optional('W', 'name, slug or id; the id of the note says which one it is') };

const formatReaders = ({ agents }: { agents: string[] | null }): string => agents?.join(', ') ?? 'all';

/** What stands for a note without a title: its first line. */
const firstLine = (body: string): string => body.trim().split('\n', 1)[0]?.slice(0, 60) ?? '';

const list = command({
  name: 'notes list',
  summary: `lists or searches a workspace's notes, newest first, up to ${LISTED}`,
  operands: {},
  options: { ...ofWorkspace, query: optional('WORDS', 'only notes that have all of these') },
  run: ({ workspace, query }, context) =>
    withOperations(context, async (call) => {
      const document = await call(notesContract.list, { workspace, q: query, limit: LISTED });
      const rows = document.notes.map((note) => [
        note.id,
        note.title ?? firstLine(note.body),
        formatReaders(note),
        note.updated_at,
      ]);
      return { document, text: () => table(['ID', 'TITLE', 'AGENTS', 'CHANGED'], rows, 'There is no note.') };
    }),
});

const show = command({
  name: 'notes show',
  summary: 'shows a note',
  operands: { id: required('ID', 'as `postroom notes list` shows it') },
  options: byId,
  run: ({ id, workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(notesContract.get, { workspace, id });
      const { body, agents, made_by: by, ...shown } = document;
      const author = by === null ? 'not recorded' : [by.kind, by.name].join(' ');
      const head = details([...Object.entries(shown), ['made by', author], ['agents', formatReaders(document)]]);
      return { document, text: () => [head, body.split(/\r?\n/).map(printable).join('\n')].join('\n\n') };
    }),
});

const grant = command({
  name: 'notes grant',
  summary: 'says which agents of the workspace read a note, in the place of those who did',
  operands: { id: required('ID', 'as `postroom notes list` shows it') },
  options: {
    ...byId,
    agent: repeated('HANDLE', 'an agent that reads it; may stand several times'),
    all: flag('all agents of the workspace, those of later as well'),
  },
  run: async ({ id, workspace, agent, all }, context) => {
    if (all === agent.length > 0) throw wrongUsage('Say who reads it: by --agent HANDLE, once for each, or by --all.');
    return withOperations(context, async (call) => {
      const agents = all ? null : agent;
      const document = await call(notesContract.grant, { workspace, id, agents });
      return { document, text: () => `The note is read by ${formatReaders(document)}.` };
    });
  },
});

export const noteCommands = [list, show, grant];
