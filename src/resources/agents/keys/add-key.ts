/** Making an API key. */

import type { Scope } from '../../../kernel/caller.ts';
import type { Clock, Millis } from '../../../kernel/clock.ts';
import type { AgentId, KeyId, NewId } from '../../../kernel/ids.ts';
import { hashApiKey, newApiKey } from '../../../seal/api-key.ts';
import { insertApiKey, revokeApiKeysNamed } from '../../../store/accounts/api-keys.ts';
import type { Store } from '../../../store/store.ts';

export interface KeyNeeds {
  store: Store;
  clock: Clock;
  newId: NewId;
}

export interface NewKey {
  agentId: AgentId;
  name: string;
  /** Null: every scope. */
  scopes: Scope[] | null;
  expiresAt: Millis | null;
  /** Whether it takes the place of the agent's keys of the same name. */
  replaces?: boolean;
}

/** The key is in the answer alone: the store keeps its hash. */
export const addKey = async (
  { store, clock, newId }: KeyNeeds,
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
