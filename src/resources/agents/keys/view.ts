/** Stored API keys in the shape that persons see. */

import { isoTime, isoTimeOrNull } from '../../../kernel/clock.ts';
import type { ApiKey } from '../../../store/accounts/api-keys.ts';
import type { KeyView } from './contract.ts';

/** @param handle null where its agent has been removed */
export const viewKey = (key: ApiKey, handle: string | null): KeyView => ({
  id: key.id,
  agent_id: key.agentId,
  handle,
  name: key.name,
  scopes: key.scopes,
  reach: key.reach,
  created_at: isoTime(key.createdAt),
  last_used_at: isoTimeOrNull(key.lastUsedAt),
  expires_at: isoTimeOrNull(key.expiresAt),
  revoked_at: isoTimeOrNull(key.revokedAt),
});
