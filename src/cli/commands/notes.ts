import { notesContract } from '../../resources/notes/contract.ts';
import { flag, listCommand, operationCommand, optional, repeated, required } from '../command.ts';
import { wrongUsage } from '../failure.ts';
import { details, printable } from '../table.ts';

/** The same number as an agent's page. */
const LISTED = 100;

const ofWorkspace = { workspace: required('W', 'name, slug or id') };

const byId = { workspace: optional('W', 'name, slug or id; the id of the note says which one it is') };

const formatReaders = ({ agents }: { agents: string[] | null }): string => agents?.join(', ') ?? 'all';

/** Replaces a missing title: the first line. */
const firstLine = (body: string): string => body.trim().split('\n', 1)[0]?.slice(0, 60) ?? '';

const list = listCommand({
  name: 'notes list',
  summary: `lists or searches a workspace's notes, newest first, up to ${LISTED}`,
  options: { ...ofWorkspace, query: optional('WORDS', 'only notes that have all of these') },
  operation: notesContract.list,
  input: ({ workspace, query }) => ({ workspace, q: query, limit: LISTED }),
  columns: [
    'id',
    ['TITLE', ({ title, body }) => title ?? firstLine(body)],
    ['AGENTS', formatReaders],
    ['CHANGED', 'updated_at'],
  ],
  none: 'There is no note.',
});

const show = operationCommand({
  name: 'notes show',
  summary: 'shows a note',
  operands: { id: required('ID', 'as `postroom notes list` shows it') },
  options: byId,
  call: (call, { id, workspace }) => call(notesContract.get, { workspace, id }),
  text: ({ body, agents, made_by: by, ...shown }) => {
    const author = by === null ? 'not recorded' : [by.kind, by.name].join(' ');
    const head = details([...Object.entries(shown), ['made by', author], ['agents', formatReaders({ agents })]]);
    return [head, body.split(/\r?\n/).map(printable).join('\n')].join('\n\n');
  },
});

const grant = operationCommand({
  name: 'notes grant',
  summary: 'says which agents of the workspace read a note, in the place of those who did',
  operands: { id: required('ID', 'as `postroom notes list` shows it') },
  options: {
    ...byId,
    agent: repeated('HANDLE', 'an agent that reads it; may stand several times'),
    all: flag('all agents of the workspace, those of later as well'),
  },
  call: (call, { id, workspace, agent, all }) => {
    if (all === agent.length > 0) throw wrongUsage('Say who reads it: by --agent HANDLE, once for each, or by --all.');
    return call(notesContract.grant, { workspace, id, agents: all ? null : agent });
  },
  text: (note) => `The note is read by ${formatReaders(note)}.`,
});

export const noteCommands = [list, show, grant];
