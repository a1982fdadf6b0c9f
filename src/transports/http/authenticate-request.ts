/** Who calls, and whether they may call now: the same for every transport over HTTP. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from '../../access/authenticate-key.ts';
import { type RateLimit, rateLimitHeaders } from '../../access/rate-limit.ts';
import type { AgentCaller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';

export interface AuthenticateRequestNeeds {
  authenticate: Authenticate;
  /** By key, for whoever shows one that is valid. */
  keyLimit: RateLimit;
  /** By address, for whoever does not. */
  addressLimit: RateLimit;
  clock: Clock;
}

const callers = new WeakMap<FastifyRequest, AgentCaller>();
/** Who calls, once admitted; undefined where nobody has been. */
export const callerOf = (request: FastifyRequest): AgentCaller | undefined => callers.get(request);

/** @throws ApiError with what the request is refused with; the reply has its headers by then */
export type AuthenticateRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<AgentCaller>;

/** Counts one request, and tells the client how it stands. @throws ApiError rate_limited */
export const countRequest = (limit: RateLimit, who: string, clock: Clock, reply: FastifyReply): void => {
  const allowance = limit.take(who);
  reply.headers(rateLimitHeaders(allowance, clock));
  if (!allowance.allowed) throw new ApiError('rate_limited');
};

/** Counts a request that no route serves, as one of those that are counted where its path begins like theirs. */
export const createCountUnrouted =
  (needs: AuthenticateRequestNeeds, pages: RateLimit) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!/^\/(v1|mcp)(\/|\?|$)/.test(request.url)) {
      countRequest(pages, clientNetwork(request.ip), needs.clock, reply);
      return;
    }
    await createAuthenticateRequest(needs)(request, reply).catch((error: unknown) => {
      // Whoever asks for what is not there is told that, with a key or without one.
      const isUnknown = error instanceof ApiError && error.status === 401;
      if (!isUnknown) throw error;
    });
  };

/** A key that is not valid counts against the address it came from. */
export const createAuthenticateRequest =
  ({ authenticate, keyLimit, addressLimit, clock }: AuthenticateRequestNeeds): AuthenticateRequest =>
  async (request, reply) => {
    const network = clientNetwork(request.ip);
    let caller: AgentCaller;
    try {
      caller = await authenticate(request.headers.authorization);
    } catch (error) {
      if (error instanceof ApiError) {
        countRequest(addressLimit, network, clock, reply);
        reply.header('www-authenticate', 'Bearer');
      }
      throw error;
    }
    countRequest(keyLimit, caller.keyId, clock, reply);
    callers.set(request, caller);
    return caller;
  };
