import { isScope, REACHES, SCOPES, type Scope } from '../../kernel/caller.ts';
import { isoTime } from '../../kernel/clock.ts';
import { agentsContract } from '../../resources/agents/contract.ts';
import { keysContract } from '../../resources/agents/keys/contract.ts';
import { flag, listCommand, operationCommand, optional, requireChoice, required, requireLine } from '../command.ts';
import { confirm } from '../confirm.ts';
import { parseExpiry } from '../expiry.ts';
import { wrongUsage } from '../failure.ts';
import { details } from '../table.ts';
import { formatEndedScheduled } from './ended-connections.ts';

const parseScopes = (text: string): Scope[] => {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !isScope(word));
  if (unknown !== undefined) throw wrongUsage(`There is no scope "${unknown}": they are ${SCOPES.join(', ')}.`);
  return SCOPES.filter((scope) => words.includes(scope));
};

const add = operationCommand({
  name: 'keys add',
  summary: 'gives an agent a further API key',
  operands: { handle: required('HANDLE', 'handle, address or id of the agent') },
  options: {
    name: optional('NAME', 'what it is for; without it "cli"'),
    scopes: optional('A,B', `some of ${SCOPES.join(', ')}; without it all`),
    reach: optional('own|workspace', 'what it reaches beyond its mailbox; without it own'),
    expires: optional('T', 'when it ends: 30d, 12h, 2027-01-31 or a full timestamp; without it never'),
  },
  call: (call, { handle, name = 'cli', scopes, reach = 'own', expires }, { runtime }) =>
    call(keysContract.add, {
      agent: handle,
      name: requireLine("A key's name", 100, name),
      scopes: scopes === undefined ? null : parseScopes(scopes),
      reach: requireChoice(REACHES, reach.trim(), `There is no reach "${reach}": it is ${REACHES.join(' or ')}.`),
      expires_at: expires === undefined ? null : isoTime(parseExpiry(expires, runtime.clock.now())),
    }),
  text: (key) => [details(Object.entries(key)), 'The key is shown this once: keep it now.'].join('\n\n'),
});

const list = listCommand({
  name: 'keys list',
  summary: 'lists API keys by name and use; the keys themselves are not kept',
  operands: { handle: optional('HANDLE', 'only those of this agent: handle, address or id') },
  operation: keysContract.list,
  input: ({ handle }) => ({ agent: handle }),
  columns: [
    'id',
    ['AGENT', 'handle'],
    'name',
    ['SCOPES', ({ scopes }) => scopes?.join(',') ?? 'all'],
    'reach',
    'last_used_at',
    'expires_at',
    'revoked_at',
  ],
  none: 'No keys yet.',
});

const revoke = operationCommand({
  name: 'keys revoke',
  summary: 'ends an API key at once',
  operands: { id: required('ID', 'as `postroom keys list` shows it') },
  options: { yes: flag('do not ask') },
  call: async (call, { id, yes }) => {
    const { keys } = await call(keysContract.list, {});
    const { agents } = await call(agentsContract.list, {});
    const key = keys.find((each) => each.id === id.toLowerCase());
    // An unknown or revoked key is refused without a question.
    if (key?.revoked_at === null) {
      const agent = agents.find((each) => each.id === key.agent_id);
      await confirm(`Revoke the key "${key.name}" of ${agent?.address ?? 'an agent that is gone'}?`, yes);
    }
    return call(keysContract.revoke, { key_id: id });
  },
  text: ({ name, scheduled }) => [`The key "${name}" is revoked.`, ...formatEndedScheduled(scheduled)].join('\n'),
});

export const keyCommands = [add, list, revoke];
