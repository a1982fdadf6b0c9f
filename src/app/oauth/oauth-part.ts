/** Assembles the authorization server, and authenticates its tokens at the MCP endpoint. */

import { type Authenticate, alsoByToken } from '../../access/authenticate-key.ts';
import { createAuthenticateToken } from '../../access/authenticate-token.ts';
import { createOwnerSessions } from '../../access/owner-sessions.ts';
import type { Config } from '../../config/config.ts';
import type { Events } from '../../events/publish-events.ts';
import type { Revocations } from '../../events/revocations.ts';
import type { SendGuarded } from '../../net/http/guarded-client.ts';
import { createConsents } from '../../resources/connections/consents.ts';
import { createChallenge } from '../../transports/oauth/metadata.ts';
import type { OauthNeeds } from '../../transports/oauth/register-oauth.ts';
import { EVERY_MINUTE, type Job } from '../jobs.ts';
import type { Storage } from '../storage.ts';

export interface OauthPart {
  server: Omit<OauthNeeds, 'countPage' | 'onError'>;
  /** Authenticates calls of the MCP endpoint. */
  authenticate: Authenticate;
  challenge: ReturnType<typeof createChallenge>;
  jobs: readonly Job[];
}

export const createOauth = (
  { public_url: publicUrl, hostname }: Config,
  { store, newId, activity, runtime: { clock } }: Storage,
  deps: { byKey: Authenticate; request: SendGuarded; revocations: Revocations; events: Events },
): OauthPart => {
  const audience = `${publicUrl}/mcp`;
  const consents = createConsents({ store, clock, newId, activity, events: deps.events });
  return {
    server: {
      publicUrl,
      audience,
      hostname,
      store,
      clock,
      request: deps.request,
      consents,
      sessions: createOwnerSessions(store, clock),
      endGrant: async (id) => {
        await consents.end(id);
        await deps.revocations.poll();
      },
    },
    authenticate: alsoByToken(deps.byKey, createAuthenticateToken({ store, clock, audience })),
    challenge: createChallenge(publicUrl),
    jobs: [{ name: 'end connections', pattern: EVERY_MINUTE, run: consents.endExpired }],
  };
};
