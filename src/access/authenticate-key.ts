/** Authenticates an Authorization header. */

import { type AgentCaller, isScope, SCOPES } from '../kernel/caller.ts';
import { type Clock, MINUTE } from '../kernel/clock.ts';
import { ApiError, requireFound } from '../kernel/errors.ts';
import { API_KEY_PREFIX, hashApiKey, looksLikeApiKey } from '../seal/api-key.ts';
import { findKeyHolder, touchApiKey } from '../store/accounts/api-keys.ts';
import type { Store } from '../store/store.ts';
import { type AuthenticateToken, looksLikeAccessToken, toHandle } from './authenticate-token.ts';

/** `last_used_at` is written at most this often: a call costs no write. */
const TOUCH_EVERY_MS = 5 * MINUTE;

/**
 * @param authorization the header's value, or undefined where there is none
 * @param agent the value of `X-Svc-Agent`, which only an access token needs
 * @throws ApiError unauthorized without a Bearer token; invalid_key for one that is unknown, revoked or expired;
 *   invalid_token for an access token where none is taken, or one that is not valid; unknown_agent for another's handle
 */
export type Authenticate = (authorization: string | undefined, agent?: string) => Promise<AgentCaller>;

const readBearer = (authorization: string | undefined): string => {
  const value = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (!value) throw new ApiError('unauthorized');
  return value;
};

/** The same, of access tokens as well: for the MCP endpoint, which is their audience. */
export const alsoByToken =
  (byKey: Authenticate, byToken: AuthenticateToken): Authenticate =>
  async (authorization, agent) => {
    const value = readBearer(authorization);
    const isKey = value.startsWith(API_KEY_PREFIX) && !looksLikeAccessToken(value);
    return isKey ? byKey(authorization, agent) : byToken(value, agent);
  };

export const createAuthenticate = (store: Store, clock: Clock): Authenticate => {
  return async (authorization, agent) => {
    const token = readBearer(authorization);
    if (looksLikeAccessToken(token)) throw new ApiError('invalid_token');
    if (!looksLikeApiKey(token)) throw new ApiError('invalid_key');
    const now = clock.now();
    const holder = requireFound(await findKeyHolder(store.read, hashApiKey(token), now), 'invalid_key');
    if (agent !== undefined && toHandle(agent) !== holder.handle) throw new ApiError('unknown_agent');
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
      reach: holder.reach,
    };
  };
};
