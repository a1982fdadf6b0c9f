/** API keys, as owners and the operator manage them. */

import { reachAgent } from '../../../access/reach.ts';
import type { PersonCaller } from '../../../kernel/caller.ts';
import { isoTime } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { AgentId, KeyId } from '../../../kernel/ids.ts';
import type { Handlers } from '../../../kernel/operation.ts';
import { listAgents } from '../../../store/accounts/agents.ts';
import { listApiKeys, revokeApiKey } from '../../../store/accounts/api-keys.ts';
import { addKey, type KeyNeeds } from './add-key.ts';
import type { KeyView, keysContract } from './contract.ts';
import { viewKey } from './view.ts';

export const createKeys = (needs: KeyNeeds): Handlers<typeof keysContract> => {
  const { store, clock } = needs;

  /** The keys within the caller's reach. Those of a removed agent are the operator's alone to see. */
  const keysOf = async (caller: PersonCaller, agentId: AgentId | null): Promise<KeyView[]> => {
    const agents = await listAgents(store.read, caller.kind === 'owner' ? caller.workspaceId : null);
    const handles = new Map(agents.map(({ id, handle }) => [id, handle]));
    return (await listApiKeys(store.read, agentId))
      .filter((key) => caller.kind === 'operator' || handles.has(key.agentId))
      .map((key) => viewKey(key, handles.get(key.agentId) ?? null));
  };

  return {
    add: async (caller, { agent: agentName, name, scopes, expires_at: expiresAt }) => {
      const agent = await reachAgent(store.read, caller, agentName);
      return addKey(needs, { agentId: agent.id, name, scopes, expiresAt });
    },

    list: async (caller, { agent: name }) => {
      const agent = name === undefined ? null : await reachAgent(store.read, caller, name);
      return { keys: await keysOf(caller, agent?.id ?? null) };
    },

    revoke: async (caller, { key_id: id }) => {
      const key = (await keysOf(caller, null)).find((each) => each.id === id.toLowerCase());
      if (!key) throw new ApiError('key_not_found', { fields: { key_id: id } });
      const now = clock.now();
      const isRevoked = await store.write((tx) => revokeApiKey(tx, key.id as KeyId, now));
      if (!isRevoked) throw new ApiError('key_already_revoked', { fields: { name: key.name } });
      return { ...key, revoked_at: isoTime(now) };
    },
  };
};
