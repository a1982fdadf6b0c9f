/** Authenticates an Authorization header. */

import { type AgentCaller, isScope, SCOPES } from '../kernel/caller.ts';
import { type Clock, MINUTE } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { hashApiKey, looksLikeApiKey } from '../seal/api-key.ts';
import { findKeyHolder, touchApiKey } from '../store/accounts/api-keys.ts';
import type { Store } from '../store/store.ts';

/** `last_used_at` is written at most this often: a call costs no write. */
const TOUCH_EVERY_MS = 5 * MINUTE;

/**
 * @param authorization the header's value, or undefined where there is none
 * @throws ApiError unauthorized without a Bearer token; invalid_key for one that is unknown, revoked or expired
 */
export type Authenticate = (authorization: string | undefined) => Promise<AgentCaller>;

export const createAuthenticate = (store: Store, clock: Clock): Authenticate => {
  return async (authorization) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (!token) throw new ApiError('unauthorized');
    if (!looksLikeApiKey(token)) throw new ApiError('invalid_key');
    const now = clock.now();
    const holder = await findKeyHolder(store.read, hashApiKey(token), now);
    if (!holder) throw new ApiError('invalid_key');
    if (holder.lastUsedAt === null || now - holder.lastUsedAt > TOUCH_EVERY_MS) {
      // Not awaited: a full disk must not refuse reads.
      store.write((tx) => touchApiKey(tx, holder.keyId, now)).catch(() => undefined);
    }
    return {
      kind: 'agent',
      workspaceId: holder.workspaceId,
      agentId: holder.agentId,
      mailboxId: holder.mailboxId,
      keyId: holder.keyId,
      isSuspended: holder.isSuspended,
      scopes: new Set(holder.scopes?.filter(isScope) ?? SCOPES),
    };
  };
};
