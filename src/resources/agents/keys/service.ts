/** API keys, as owners and the operator manage them. */

import { reachAgent } from '../../../access/reach.ts';
import { viewOf } from '../../../access/view-of.ts';
import type { PersonCaller } from '../../../kernel/caller.ts';
import { isoTime, isoTimeOrNull } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import type { AgentId, KeyId } from '../../../kernel/ids.ts';
import { cancelOrphaned } from '../../../outbound/scheduled/cancel-orphaned.ts';
import { listAgents } from '../../../store/accounts/agents.ts';
import { type ApiKey, listApiKeys, revokeApiKey } from '../../../store/accounts/api-keys.ts';
import { viewEndedScheduled } from '../../connections/view.ts';
import type { Needs } from '../../needs.ts';
import { addKey, type KeyNeeds } from './add-key.ts';
import { keyShape, type keysContract } from './contract.ts';

/** @param handle null where its agent has been removed */
const viewKey = viewOf(keyShape, (_key: ApiKey, handle: string | null) => ({ handle }));

type KeysNeeds = KeyNeeds & Needs<'store' | 'events'>;

export const createKeys = (needs: KeysNeeds): Handlers<typeof keysContract> => {
  const { store, clock, events } = needs;

  /** The keys within the caller's reach. Only the operator sees those of a removed agent. */
  const listKeys = async (caller: PersonCaller, agentId: AgentId | null) => {
    const own = caller.kind === 'owner' ? { workspaceId: caller.workspaceId } : null;
    const listed = await listAgents(store.read, own?.workspaceId ?? null);
    const agents = new Map(listed.map((agent) => [agent.id, agent]));
    return (await listApiKeys(store.read, agentId === null ? own : { agentId }))
      .filter((key) => caller.kind === 'operator' || agents.has(key.agentId))
      .map((key) => {
        const agent = agents.get(key.agentId);
        return { view: viewKey(key, agent?.handle ?? null), workspaceId: agent?.workspaceId ?? null };
      });
  };

  return {
    add: (caller, { agent: agentName, name, scopes, reach, expires_at: expiresAt }, { record }) =>
      store.write(async (tx) => {
        const { id: agentId, handle, workspaceId } = await reachAgent(tx.db, caller, agentName);
        const added = await addKey(needs, tx, { agentId, name, scopes, reach, expiresAt });
        const detail = { key_id: added.id, name, scopes, reach, expires_at: isoTimeOrNull(expiresAt) };
        return record(tx, { workspaceId, subject: handle, detail }, added);
      }),

    list: async (caller, { agent: name }) => {
      const agent = name === undefined ? null : await reachAgent(store.read, caller, name);
      return { keys: (await listKeys(caller, agent?.id ?? null)).map(({ view }) => view) };
    },

    revoke: async (caller, { key_id: id }, { record }) => {
      const found = (await listKeys(caller, null)).find(({ view }) => view.id === id.toLowerCase());
      if (!found) throw new ApiError('key_not_found', { fields: { key_id: id } });
      const { view: key, workspaceId } = found;
      const now = clock.now();
      return store.write(async (tx) => {
        const isRevoked = await revokeApiKey(tx, key.id as KeyId, now);
        if (!isRevoked) throw new ApiError('key_already_revoked', { fields: { name: key.name } });
        const cancelled = await cancelOrphaned(events, tx, { by: key.id as KeyId }, now);
        const ids = cancelled.map((send) => send.id);
        const detail = { key_id: key.id, name: key.name, ...(ids.length > 0 && { scheduled_cancelled: ids }) };
        const act = { workspaceId, subject: key.handle ?? key.agent_id, detail };
        return record(tx, act, { ...key, revoked_at: isoTime(now), scheduled: viewEndedScheduled(cancelled) });
      });
    },
  };
};
