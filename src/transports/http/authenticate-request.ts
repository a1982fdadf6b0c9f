/** Authenticates and rate-limits a request, the same for every transport over HTTP. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from '../../access/authenticate-key.ts';
import { type Allowance, type RateLimit, rateLimitHeaders, type SharedRateLimit } from '../../access/rate-limit.ts';
import { toQuotaSubject } from '../../budget/quota-subject.ts';
import type { AgentCaller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';
import { setQuotaSubject } from './request-quota-subject.ts';
import { isApiPath } from './routing.ts';

export interface AuthenticateRequestNeeds {
  authenticate: Authenticate;
  /** By key, for requests with a valid one. */
  keyLimit: SharedRateLimit;
  /** For all others. */
  countAddress: CountRequest;
  clock: Clock;
  /** The `WWW-Authenticate` of a 401 (RFC 9110 section 11.6.1); left out: `Bearer`. */
  challenge?: (refusal: ApiError, url: string) => string;
}

type KeyNeeds = Pick<AuthenticateRequestNeeds, 'authenticate' | 'challenge'>;

const findCaller = ({ authenticate }: KeyNeeds, { headers }: FastifyRequest): Promise<AgentCaller> =>
  authenticate(headers.authorization, headers['x-svc-agent']?.toString());

const withChallenge = ({ challenge }: KeyNeeds, reply: FastifyReply, error: unknown): unknown => {
  if (error instanceof ApiError && error.status === 401) {
    reply.header('www-authenticate', challenge?.(error, reply.request.url) ?? 'Bearer');
  }
  return error;
};

const callers = new WeakMap<FastifyRequest, AgentCaller>();
/** The caller of a request that was authenticated before. */
export const callerOf = (request: FastifyRequest): AgentCaller => {
  const caller = callers.get(request);
  if (!caller) throw new Error('A request reached its handler without a caller.');
  return caller;
};

/** @throws ApiError with the refusal; the reply has its headers by then */
export type AuthenticateRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Sets the rate limit's headers. @throws ApiError rate_limited */
const requireAllowed = (allowance: Allowance, clock: Clock, reply: FastifyReply): void => {
  reply.headers(rateLimitHeaders(allowance, clock));
  if (!allowance.allowed) throw new ApiError('rate_limited');
};

/** @throws ApiError rate_limited; the reply has the limit's headers by then */
export type CountRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Counts the requests of each network at this box. */
export const countByNetwork =
  (limit: RateLimit, clock: Clock): CountRequest =>
  async ({ ip }, reply) =>
    requireAllowed(limit.take(clientNetwork(ip)), clock, reply);

/** Counts a request without a route like the routes with the same beginning of the path. */
export const createCountUnrouted =
  (needs: AuthenticateRequestNeeds, countPage: CountRequest): CountRequest =>
  async (request, reply) => {
    if (!isApiPath(request.url)) return countPage(request, reply);
    await createAuthenticateRequest(needs)(request, reply).catch((error: unknown) => {
      // An unknown path or method gets the same answer with and without a key.
      const isUnknown = error instanceof ApiError && error.status === 401;
      if (!isUnknown) throw error;
      reply.removeHeader('www-authenticate');
    });
  };

/** An invalid key counts against its client's address. */
export const createAuthenticateRequest =
  (needs: AuthenticateRequestNeeds): AuthenticateRequest =>
  async (request, reply) => {
    const { keyLimit, countAddress, clock } = needs;
    const caller = await findCaller(needs, request).catch(async (error: unknown) => {
      if (error instanceof ApiError) await countAddress(request, reply);
      throw withChallenge(needs, reply, error);
    });
    requireAllowed(await keyLimit.take(caller.keyId), clock, reply);
    callers.set(request, caller);
    setQuotaSubject(request, toQuotaSubject(caller));
  };

/** Checks the key again after the body, which a client may delay: a revoked key runs nothing. */
export const createAuthenticateAgain =
  (needs: KeyNeeds) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // A chunked body may be empty, and its end held back all the same.
    const mayBeHeldBack = request.body !== undefined || request.headers['transfer-encoding'] !== undefined;
    if (!mayBeHeldBack || !callers.has(request)) return;
    const caller = await findCaller(needs, request).catch((error: unknown) => {
      throw withChallenge(needs, reply, error);
    });
    callers.set(request, caller);
  };
