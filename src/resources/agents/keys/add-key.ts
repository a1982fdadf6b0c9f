import type { Reach, Scope } from '../../../kernel/caller.ts';
import type { Millis } from '../../../kernel/clock.ts';
import type { AgentId, KeyId } from '../../../kernel/ids.ts';
import { hashApiKey, newApiKey } from '../../../seal/api-key.ts';
import { insertApiKey } from '../../../store/accounts/api-keys.ts';
import type { Tx } from '../../../store/store.ts';
import type { Needs } from '../../needs.ts';

export type KeyNeeds = Needs<'clock' | 'newId'>;

export interface NewKey {
  agentId: AgentId;
  name: string;
  /** Null: every scope. */
  scopes: Scope[] | null;
  reach: Reach;
  expiresAt: Millis | null;
}

/** Only the answer contains the key: the store has its hash. */
export const addKey = async (
  { clock, newId }: KeyNeeds,
  tx: Tx,
  { agentId, name, scopes, reach, expiresAt }: NewKey,
): Promise<{ id: KeyId; key: string }> => {
  const key = newApiKey();
  const id = newId<'key'>();
  const now = clock.now();
  await insertApiKey(
    tx,
    { id, agentId, name, scopes, reach, createdAt: now, lastUsedAt: null, expiresAt, revokedAt: null },
    hashApiKey(key),
  );
  return { id, key };
};
