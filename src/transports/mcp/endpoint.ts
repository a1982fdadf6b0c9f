/** `/mcp`: Streamable HTTP. Refusals here are HTTP statuses; a tool's refusal is its result. */

import type { ServerResponse } from 'node:http';
import { isInitializeRequest, isLegacyRequest } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from '../../access/rate-limit.ts';
import type { AgentCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import { DEFAULT_BODY_LIMIT, type RoutedOperation } from '../../kernel/operation.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';
import {
  type AuthenticateRequestNeeds,
  callerOf,
  countRequest,
  createAuthenticateAgain,
  createAuthenticateRequest,
  createCountUnrouted,
} from '../http/authenticate-request.ts';
import type { RequestFacts } from '../http/http-server.ts';
import { isTooDeep, MAX_BODY_DEPTH } from './body-depth.ts';
import type { Exchanges } from './exchanges.ts';
import { type RequestContext, toAuthInfo } from './mcp-server.ts';
import { createOwnNames } from './own-names.ts';
import { registerServerCard } from './server-card.ts';
import type { Session, Sessions } from './sessions.ts';
import { findStepUp } from './step-up.ts';
import type { Tool } from './tools/tool.ts';
import { parseToolChoice, type ToolChoice } from './tools/tool-sets.ts';
import { sendWebResponse, toWebRequest } from './web-exchange.ts';

export interface McpNeeds extends AuthenticateRequestNeeds {
  tools: ReadonlyMap<string, Tool>;
  /** Of clients of the revisions before 2026-07-28. */
  sessions: Sessions;
  /** Of all others. */
  exchanges: Exchanges;
  publicUrl: string;
  /** By network, of what is read without a key. */
  pageLimit: RateLimit;
  /** The `WWW-Authenticate` of a refusal. */
  challenge: (refusal: ApiError, url: string) => string;
  /** Host names that the service goes by. */
  hostNames: readonly string[];
  onError: (error: unknown, about: RequestFacts) => void;
}

/** A client that speaks OAuth finds its way by `WWW-Authenticate`; a person who reads the answer, by this. */
const UNAUTHORIZED =
  'Connect by OAuth: a client that speaks it is given this URL alone, and its user approves it in the browser (/docs/oauth). ' +
  'Or send `Authorization: Bearer <API key>`.';

const alsoByOauth = (error: unknown): never => {
  if (error instanceof ApiError && error.code === 'unauthorized')
    throw new ApiError('unauthorized', { hint: UNAUTHORIZED });
  throw error;
};

const PATH = '/mcp';
const TOO_DEEP = `The body nests deeper than ${MAX_BODY_DEPTH} levels.`;
/** From this version on a client is given a cursor with every stream, and so may resume it. */
const RESUMABLE_SINCE = '2025-11-25';

export const registerMcp = (app: FastifyInstance, operations: readonly RoutedOperation[], needs: McpNeeds): void => {
  const authenticateRequest = createAuthenticateRequest(needs);
  const authenticateAgain = createAuthenticateAgain(needs);
  const requireOwnName = createOwnNames(needs.hostNames);
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const stepUpNeeds = { tools: needs.tools, findOperation: (name: string) => byName.get(name) };
  const countUnrouted = createCountUnrouted(needs, needs.addressLimit);
  app.route({
    method: ['POST', 'GET', 'DELETE'],
    url: PATH,
    // The largest that any tool takes, and room for what it is wrapped in.
    bodyLimit: Math.max(...operations.map(({ bodyLimit = DEFAULT_BODY_LIMIT }) => bodyLimit)),
    // Before the body is read: a request without a valid key costs no 32 MiB of memory.
    onRequest: async (request, reply) => {
      // Counted first, so that every reply has the rate limit's headers.
      const authenticated = authenticateRequest(request, reply);
      await authenticated.catch(() => undefined);
      requireOwnName(request.headers);
      await authenticated.catch(alsoByOauth);
    },
    preHandler: (request, reply) => authenticateAgain(request, reply).catch(alsoByOauth),
    handler: async (request, reply) => {
      const caller = callerOf(request);
      if (!caller) throw new Error('A request reached its handler without a caller.');
      countBatch(needs, caller, request.body);
      choiceOf(request);
      if (isTooDeep(request.body)) throw new ApiError('body_too_large', { hint: TOO_DEEP });
      const stepUp = findStepUp(stepUpNeeds, caller, request.body);
      if (stepUp) {
        const { refusal, body } = stepUp;
        return reply.code(refusal.status).header('www-authenticate', needs.challenge(refusal, request.url)).send(body);
      }
      const closed = new AbortController();
      reply.raw.once('close', () => closed.abort());
      const asked = toWebRequest(request, needs.publicUrl, closed.signal);
      if (!(await isLegacyRequest(asked, request.body))) return exchange(needs, asked, caller, request, reply);
      return serve(needs, await sessionFor(needs.sessions, caller, request), asked, caller, request, reply);
    },
  });
  registerServerCard(app, needs.publicUrl, async (request, reply) =>
    countRequest(needs.pageLimit, clientNetwork(request.ip), needs.clock, reply),
  );
  app.route({
    method: ['PUT', 'PATCH', 'HEAD', 'OPTIONS'],
    url: PATH,
    handler: async (request, reply) => {
      await countUnrouted(request, reply);
      throw new ApiError('method_not_allowed', { headers: { allow: 'GET, POST, DELETE' } });
    },
  });
};

/** Protocol versions of old take several messages at once: each is a request. The first has been counted. */
const countBatch = ({ keyLimit }: McpNeeds, { keyId }: AgentCaller, body: unknown): void => {
  if (!Array.isArray(body)) return;
  for (let message = 1; message < body.length; message += 1) {
    if (!keyLimit.take(keyId).allowed) throw new ApiError('rate_limited');
  }
};

const sessionFor = async (sessions: Sessions, caller: AgentCaller, request: FastifyRequest): Promise<Session> => {
  const id = request.headers['mcp-session-id'];
  if (id !== undefined) return sessions.resume(String(id), caller);
  if (request.method !== 'POST' || !isInitializeRequest(request.body)) {
    const hint = 'Begin with `initialize`, and send the Mcp-Session-Id of its answer with each request after it.';
    throw new ApiError('invalid_request', { hint });
  }
  if (!isSmall(request.body)) throw new ApiError('body_too_large');
  return sessions.begin(caller);
};

/** Bounds an initialize request, which is kept as long as its session. */
const MAX_INITIALIZE_CHARS = 64 * 1024;

const isSmall = (initialize: unknown): boolean => JSON.stringify(initialize).length <= MAX_INITIALIZE_CHARS;

/** Takes the reply over, with the headers that it has. */
const takeOver = (reply: FastifyReply) => {
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.setHeader('x-content-type-options', 'nosniff');
  return raw;
};

/** Answers a reply that is taken over; what fails on the way ends its connection, since its head may have gone out. */
const answer = async (
  { onError }: McpNeeds,
  { id, method }: FastifyRequest,
  raw: ServerResponse,
  respond: () => Promise<Response>,
): Promise<void> => {
  try {
    await sendWebResponse(await respond(), raw);
  } catch (error) {
    onError(error, { request_id: id, method, url: PATH });
    raw.destroy();
  }
};

const serve = async (
  needs: McpNeeds,
  { transport, liveness, close }: Session,
  asked: Request,
  caller: AgentCaller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const { headers, method, body } = request;
  const isResumed = headers['last-event-id'] !== undefined;
  // The server sends nothing unsolicited, so there is no stream for it: the protocol's answer is 405.
  if (method === 'GET' && !isResumed) throw new ApiError('method_not_allowed', { headers: { allow: 'POST, DELETE' } });
  const raw = takeOver(reply);
  const version = headers['mcp-protocol-version'];
  let gone = new AbortController().signal;
  if (method === 'POST') gone = liveness.attend(raw, typeof version === 'string' && version >= RESUMABLE_SINCE);
  else if (method === 'GET') liveness.resume(raw);
  const context: RequestContext = {
    caller,
    gone,
    choice: choiceOf(request),
    idempotencyKey: readIdempotencyKey(headers['idempotency-key']),
  };
  await answer(needs, request, raw, async () => {
    const response = await transport.handleRequest(asked, { authInfo: toAuthInfo(context), parsedBody: body });
    // A failed initialize leaves no session.
    if (transport.sessionId === undefined) await close();
    return response;
  });
};

const exchange = async (
  needs: McpNeeds,
  asked: Request,
  caller: AgentCaller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const { headers, body } = request;
  const context: RequestContext = {
    caller,
    gone: asked.signal,
    choice: choiceOf(request),
    idempotencyKey: readIdempotencyKey(headers['idempotency-key']),
  };
  const { response, release } = await needs.exchanges.serve(asked, body, context, () => reply.raw.destroy());
  const raw = takeOver(reply);
  raw.once('close', release);
  if (raw.destroyed) release();
  await answer(needs, request, raw, async () => response);
};

const choiceOf = ({ query }: FastifyRequest): ToolChoice => parseToolChoice((query as { tools?: unknown }).tools);

const readIdempotencyKey = (value: string | string[] | undefined): string | null =>
  value === undefined ? null : String(value);
