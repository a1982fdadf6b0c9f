/** Making agents: an identity, its mailbox and its address; and their API keys. */

import type { Address } from '../../kernel/address.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { Clock, Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { isHandle } from '../../kernel/fields.ts';
import type { AgentId, KeyId, NewId } from '../../kernel/ids.ts';
import { hashApiKey, newApiKey } from '../../seal/api-key.ts';
import { type Agent, insertAgent, isHandleTaken } from '../../store/accounts/agents.ts';
import { insertApiKey, revokeApiKeysNamed } from '../../store/accounts/api-keys.ts';
import type { Domain } from '../../store/accounts/domains.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import type { Store } from '../../store/store.ts';

export interface AgentNeeds {
  store: Store;
  clock: Clock;
  newId: NewId;
}

export interface NewAgent {
  workspace: Pick<Workspace, 'id'>;
  domain: Domain;
  handle: string;
  displayName: string | null;
  description: string | null;
  hold: boolean;
}

/** @throws ApiError invalid_handle, handle_taken */
export const addAgent = async ({ store, clock, newId }: AgentNeeds, wanted: NewAgent): Promise<Agent> => {
  const { workspace, domain, handle, displayName, description, hold } = wanted;
  if (!isHandle(handle)) throw new ApiError('invalid_handle');
  const agent: Agent = {
    id: newId<'agent'>(),
    workspaceId: workspace.id,
    handle,
    displayName,
    description,
    filterMode: 'blacklist',
    hold,
    guard: false,
    mailboxId: newId<'mailbox'>(),
    domainId: domain.id,
    address: `${handle}@${domain.name}` as Address,
    status: 'active',
    createdAt: clock.now(),
  };
  await store.write(async (tx) => {
    if (await isHandleTaken(tx.db, handle)) throw new ApiError('handle_taken');
    await insertAgent(tx, agent);
  });
  return agent;
};

export interface NewKey {
  agentId: AgentId;
  name: string;
  /** Null: every scope. */
  scopes: Scope[] | null;
  expiresAt: Millis | null;
  /** Whether it takes the place of the agent's keys of the same name. */
  replaces?: boolean;
}

/** The key itself is in the answer and nowhere else: the store has its hash. */
export const addKey = async (
  { store, clock, newId }: AgentNeeds,
  { agentId, name, scopes, expiresAt, replaces = false }: NewKey,
): Promise<{ id: KeyId; key: string }> => {
  const key = newApiKey();
  const id = newId<'key'>();
  const now = clock.now();
  await store.write(async (tx) => {
    if (replaces) await revokeApiKeysNamed(tx, agentId, name, now);
    await insertApiKey(
      tx,
      { id, agentId, name, scopes, createdAt: now, lastUsedAt: null, expiresAt, revokedAt: null },
      hashApiKey(key),
    );
  });
  return { id, key };
};
