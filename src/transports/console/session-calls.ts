/** `/console/api/session`: who is signed in, and which workspaces are theirs; signing out. */

import type { FastifyInstance } from 'fastify';
import { isoTime } from '../../kernel/clock.ts';
import type { SignIn } from '../../resources/owners/sign-in.ts';
import type { SessionCookie } from '../pages/session-cookie.ts';
import { API } from './operation-calls.ts';
import type { SessionGuard } from './session-guard.ts';

export interface SessionCallsNeeds {
  guard: SessionGuard;
  cookie: SessionCookie;
  signIn: Pick<SignIn, 'signOut'>;
  hostname: string;
  /** The zone that the instance's own DNS server answers for; null without that server. */
  servedZone: string | null;
  /** Whether mail stays on this instance. */
  isLocalOnly: boolean;
}

/** Their bodies say next to nothing. */
const BODY_LIMIT = 1_024;

export const registerSessionCalls = (
  scope: FastifyInstance,
  { guard, cookie, signIn, hostname, servedZone, isLocalOnly }: SessionCallsNeeds,
): void => {
  scope.post(`${API}/session`, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
    const { session } = await guard.require(request, reply);
    const { owner, workspaces } = session;
    return reply.header('cache-control', 'no-store').send({
      email: owner.email,
      hostname,
      served_zone: servedZone,
      is_local: isLocalOnly,
      set_up_away: owner.setUpAwayAt !== null,
      workspaces: workspaces.map(({ id, slug, name, plan, sendingState, verifiedAt, createdAt }) => ({
        ...{ id, slug, name, plan, sending_state: sendingState, is_verified: verifiedAt !== null },
        created_at: isoTime(createdAt),
      })),
    });
  });

  scope.post<{ Body: { everywhere?: unknown } | undefined }>(
    `${API}/session/end`,
    { bodyLimit: BODY_LIMIT },
    async (request, reply) => {
      const { secret, session } = await guard.require(request, reply);
      await signIn.signOut(secret, session, request.body?.everywhere === true);
      return cookie.clear(reply).send({ ended: true });
    },
  );
};
