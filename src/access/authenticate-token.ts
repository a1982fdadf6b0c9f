/** Authenticates an OAuth access token, and finds the agent that its user means. */

import type { AgentCaller } from '../kernel/caller.ts';
import { type Clock, MINUTE } from '../kernel/clock.ts';
import { ApiError, requireFound } from '../kernel/errors.ts';
import type { GrantId, Id, KeyId } from '../kernel/ids.ts';
import { findGrant, listAgentsOfOwner, type OwnedAgent, reachedOf, touchGrant } from '../store/oauth/oauth-grants.ts';
import { findOauthRecord, hashOauthValue } from '../store/oauth/oauth-records.ts';
import { listWorkspacesOf } from '../store/owners/owners.ts';
import type { Store } from '../store/store.ts';
import { readTokenScopes } from './oauth-scopes.ts';

/** The model of oidc-provider for access tokens. */
const ACCESS_TOKEN = 'AccessToken';

/** `last_used_at` is written at most this often: a call costs no write. */
const TOUCH_EVERY_MS = 5 * MINUTE;
/** The form of an access token: 256 bits in base64url. */
const FORM = /^[A-Za-z0-9_-]{43}$/;

/** Whether a Bearer value has the form of an access token; no API key has it. */
export const looksLikeAccessToken = (value: string): boolean => FORM.test(value);

export interface TokenNeeds {
  store: Store;
  clock: Clock;
  /** The only one that a token may have: the MCP endpoint's URL. */
  audience: string;
}

/**
 * @param handle of the agent, as `X-Svc-Agent` names it; undefined where the header is missing
 * @throws ApiError invalid_token for one that is malformed, unknown, expired, revoked or for another service; ambiguous,
 *   unknown_agent, no_agent, no_workspace
 */
export type AuthenticateToken = (token: string, handle: string | undefined) => Promise<AgentCaller>;

export const createAuthenticateToken = ({ store, clock, audience }: TokenNeeds): AuthenticateToken => {
  return async (token, handle) => {
    const now = clock.now();
    const record = looksLikeAccessToken(token)
      ? await findOauthRecord(store.read, ACCESS_TOKEN, hashOauthValue(token), now)
      : null;
    const { aud, scope } = record?.payload ?? {};
    const found = record?.grantId && aud === audience ? await findGrant(store.read, record.grantId, now) : null;
    const grant = requireFound(found, 'invalid_token');
    const owned = await listAgentsOfOwner(store.read, grant.ownerId);
    if (owned.length === 0 && (await listWorkspacesOf(store.read, grant.ownerId)).length === 0) {
      throw new ApiError('no_workspace');
    }
    const agent = chooseAgent(reachedOf(grant, owned), handle);
    if (grant.lastUsedAt === null || now - grant.lastUsedAt > TOUCH_EVERY_MS) {
      // Not awaited: a full disk must not refuse reads.
      store.write((tx) => touchGrant(tx, grant.id, now)).catch(() => undefined);
    }
    return {
      kind: 'agent',
      workspaceId: agent.workspaceId,
      agentId: agent.id,
      mailboxId: agent.mailboxId,
      keyId: toKeyId(grant.id),
      byGrant: grant.id,
      isSuspended: agent.isSuspended,
      scopes: new Set(readTokenScopes(scope)),
      reach: grant.reach,
    };
  };
};

/** Limits, sessions and waits are counted by key; a token's grant stands in for the key. */
const toKeyId = (id: GrantId): KeyId => id as Id<string> as KeyId;

/** The handle that `X-Svc-Agent` names. */
export const toHandle = (header: string): string => header.trim().toLowerCase();

const chooseAgent = (agents: readonly OwnedAgent[], handle: string | undefined): OwnedAgent => {
  const [only, ...others] = agents;
  if (!only) throw new ApiError('no_agent');
  if (handle !== undefined) {
    const named = agents.find((agent) => agent.handle === toHandle(handle));
    if (named) return named;
    throw new ApiError('unknown_agent');
  }
  if (others.length === 0) return only;
  throw new ApiError('ambiguous', { fields: { agents: agents.map((agent) => agent.handle).slice(0, MAX_NAMED) } });
};

/** Handles that a refusal lists. */
const MAX_NAMED = 50;
