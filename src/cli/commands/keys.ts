/** `postroom keys` */

import { isScope, SCOPES, type Scope } from '../../kernel/caller.ts';
import { parseId } from '../../kernel/ids.ts';
import { addKey } from '../../resources/mailboxes/add-agent.ts';
import { listAgents } from '../../store/accounts/agents.ts';
import { type ApiKey, listApiKeys, revokeApiKey } from '../../store/accounts/api-keys.ts';
import { command } from '../command.ts';
import { confirm } from '../confirm.ts';
import { parseExpiry } from '../expiry.ts';
import { refused, wrongUsage } from '../failure.ts';
import { requireAgent } from '../find.ts';
import { flag, optional, required } from '../parameters.ts';
import { details, table, timeOrNull } from '../table.ts';
import { withInstance } from '../with-instance.ts';

const MAX_NAME = 100;

const parseName = (text: string): string => {
  const name = text.trim();
  if (name.length <= MAX_NAME && !/\p{Cc}/u.test(name)) return name;
  throw wrongUsage(`A key's name is one line of at most ${MAX_NAME} characters.`);
};

const parseScopes = (text: string): Scope[] => {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !isScope(word));
  if (unknown !== undefined) throw wrongUsage(`There is no scope "${unknown}": they are ${SCOPES.join(', ')}.`);
  return SCOPES.filter((scope) => words.includes(scope));
};

const viewKey = (key: ApiKey, handle: string | null) => ({
  id: key.id,
  agent_id: key.agentId,
  handle,
  name: key.name,
  /** Null: every scope, those of later versions too. */
  scopes: key.scopes,
  created_at: timeOrNull(key.createdAt),
  last_used_at: timeOrNull(key.lastUsedAt),
  expires_at: timeOrNull(key.expiresAt),
  revoked_at: timeOrNull(key.revokedAt),
});

const add = command({
  name: 'keys add',
  summary: 'gives an agent a further API key',
  operands: { handle: required('HANDLE', 'handle, address or id of the agent') },
  options: {
    name: optional('NAME', 'what it is for; without it "cli"'),
    scopes: optional('A,B', `some of ${SCOPES.join(', ')}; without it all`),
    expires: optional('T', 'when it ends: 30d, 12h, 2027-01-31 or a full timestamp; without it never'),
  },
  run: async ({ handle, name = 'cli', scopes, expires }, context) => {
    const [keyName, allowed] = [parseName(name), scopes === undefined ? null : parseScopes(scopes)];
    return withInstance(context, async ({ store, newId, runtime: { clock } }) => {
      const expiresAt = expires === undefined ? null : parseExpiry(expires, clock.now());
      const agent = await requireAgent(store.read, handle);
      const { id, key } = await addKey(
        { store, newId, clock },
        { agentId: agent.id, name: keyName, scopes: allowed, expiresAt },
      );
      return {
        document: { id, key },
        text: () =>
          [
            details([
              ['id', id],
              ['key', key],
            ]),
            'The key is shown this once: keep it now.',
          ].join('\n\n'),
      };
    });
  },
});

const list = command({
  name: 'keys list',
  summary: 'lists API keys by name and use; the keys themselves are not kept',
  operands: { handle: optional('HANDLE', 'only those of this agent: handle, address or id') },
  options: {},
  run: ({ handle }, context) =>
    withInstance(context, async ({ store }) => {
      const agent = handle === undefined ? null : await requireAgent(store.read, handle);
      const handles = new Map((await listAgents(store.read, null)).map((each) => [each.id, each.handle]));
      const keys = (await listApiKeys(store.read, agent?.id ?? null)).map((key) =>
        viewKey(key, handles.get(key.agentId) ?? null),
      );
      const rows = keys.map((key) => [
        ...[key.id, key.handle, key.name, key.scopes?.join(',') ?? 'all'],
        ...[key.last_used_at, key.expires_at, key.revoked_at],
      ]);
      const head = ['ID', 'AGENT', 'NAME', 'SCOPES', 'LAST USED', 'EXPIRES', 'REVOKED'];
      return { document: { keys }, text: () => table(head, rows, 'No keys yet.') };
    }),
});

const revoke = command({
  name: 'keys revoke',
  summary: 'ends an API key at once',
  operands: { id: required('ID', 'as `postroom keys list` shows it') },
  options: { yes: flag('do not ask') },
  run: ({ id, yes }, context) =>
    withInstance(context, async ({ store, runtime: { clock } }) => {
      const keyId = parseId<'key'>(id);
      const key = (await listApiKeys(store.read, null)).find((each) => each.id === keyId);
      if (!key) throw refused(`No key has the id ${id}. \`postroom keys list\` shows those there are.`);
      const alreadyRevoked = () => refused(`The key ${key.name} is revoked already.`);
      if (key.revokedAt !== null) throw alreadyRevoked();
      const agent = (await listAgents(store.read, null)).find((each) => each.id === key.agentId);
      await confirm(`Revoke the key "${key.name}" of ${agent?.address ?? 'an agent that is gone'}?`, yes);
      const now = clock.now();
      if (!(await store.write((tx) => revokeApiKey(tx, key.id, now)))) throw alreadyRevoked();
      const view = viewKey({ ...key, revokedAt: now }, agent?.handle ?? null);
      return { document: view, text: () => `The key "${key.name}" is revoked.` };
    }),
});

export const keyCommands = [add, list, revoke];
