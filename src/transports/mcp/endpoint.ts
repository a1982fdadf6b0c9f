/** `/mcp`: Streamable HTTP. Refusals of requests are HTTP statuses; a tool's refusal is its result. */

import { isLegacyRequest } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AgentCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import { DEFAULT_BODY_LIMIT, type RoutedOperation } from '../../kernel/operation.ts';
import {
  type AuthenticateRequestNeeds,
  type CountRequest,
  callerOf,
  createAuthenticateAgain,
  createAuthenticateRequest,
  createCountUnrouted,
} from '../http/authenticate-request.ts';
import { disconnectSignal } from '../http/disconnect-signal.ts';
import { factsOf, type RequestFacts } from '../http/http-server.ts';
import { onceClosed } from '../http/once-closed.ts';
import { isNameTooLong, isTooDeep, MAX_BODY_DEPTH, MAX_NAME } from './body-bounds.ts';
import { acceptBoth, asTaken, beginEarlier, countBatch, hasSession, sessionFor } from './earlier/serve-session.ts';
import type { Sessions } from './earlier/sessions.ts';
import type { Exchanges } from './exchanges.ts';
import type { RequestContext } from './mcp-server.ts';
import { createOwnNames } from './own-names.ts';
import { registerServerCard } from './server-card.ts';
import { parseToolChoice, type ToolChoice } from './tools/tool-sets.ts';
import { sendWebResponse, toWebRequest } from './web-exchange.ts';

export interface McpNeeds extends AuthenticateRequestNeeds {
  /** Sessions of clients of the revisions before 2026-07-28. */
  sessions: Sessions;
  /** For all other clients. */
  exchanges: Exchanges;
  publicUrl: string;
  /** For documents read without a key. */
  countPage: CountRequest;
  /** The `WWW-Authenticate` of a 401. */
  challenge: (refusal: ApiError, url: string) => string;
  /** The service's host names. */
  hostNames: readonly string[];
  onError: (error: unknown, about: RequestFacts) => void;
}

/** A client with OAuth follows `WWW-Authenticate`; this text is for a person who reads the answer. */
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
const LONG_NAME = `The name of a method, a tool or a resource has at most ${MAX_NAME} characters.`;

export const registerMcp = (app: FastifyInstance, operations: readonly RoutedOperation[], needs: McpNeeds): void => {
  // mcpo, by which Open WebUI connects, adds the slash, and so do people.
  for (const path of [PATH, `${PATH}/`]) registerAt(path, app, operations, needs);
  registerServerCard(app, needs.publicUrl, needs.countPage);
};

const registerAt = (
  path: string,
  app: FastifyInstance,
  operations: readonly RoutedOperation[],
  needs: McpNeeds,
): void => {
  const authenticateRequest = createAuthenticateRequest(needs);
  const authenticateAgain = createAuthenticateAgain(needs);
  const requireOwnName = createOwnNames(needs.hostNames);
  const countUnrouted = createCountUnrouted(needs, needs.countAddress);
  app.route({
    method: ['POST', 'GET', 'DELETE'],
    url: path,
    // The largest body of any tool, with its envelope.
    bodyLimit: Math.max(...operations.map(({ bodyLimit = DEFAULT_BODY_LIMIT }) => bodyLimit)),
    // Runs before the body is read, so that a request without a valid key costs no 32 MiB of memory.
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
      await countBatch(needs, caller, request.body);
      choiceOf(request);
      if (isTooDeep(request.body)) throw new ApiError('body_too_large', { hint: TOO_DEEP });
      if (isNameTooLong(request.body)) throw new ApiError('body_too_large', { hint: LONG_NAME });
      normaliseEmpty(request.body);
      const asked = toWebRequest(request, needs.publicUrl, disconnectSignal(reply));
      const isEarlier = await isLegacyRequest(asked, request.body);
      if (isEarlier) acceptBoth(request, asked);
      const serve = isEarlier && hasSession(request) ? inSession : exchange;
      const response = await serve(needs, asked, caller, request, reply);
      return answer(needs, request, reply, isEarlier ? await asTaken(request, response) : response);
    },
  });
  app.route({
    method: ['PUT', 'PATCH', 'HEAD', 'OPTIONS'],
    url: path,
    handler: async (request, reply) => {
      await countUnrouted(request, reply);
      throw new ApiError('method_not_allowed', { headers: { allow: 'GET, POST, DELETE' } });
    },
  });
};

/** The fields of a client's message that are lists. */
const LISTS: ReadonlySet<string> = new Set(['icons', 'sizes', 'resourceSubscriptions']);

/**
 * Programs in Go and others write null where they leave something out, and those in PHP an empty object as a list. The
 * SDK refuses both. A tool's arguments stay.
 */
const normaliseEmpty = (message: unknown): void => {
  if (typeof message !== 'object' || message === null) return;
  const fields = message as Record<string, unknown>;
  for (const [name, value] of Object.entries(fields)) {
    // A request without an id would be a notification, which nothing answers.
    if (value === null && name !== 'id') delete fields[name];
    else if (Array.isArray(value) && value.length === 0 && !LISTS.has(name)) fields[name] = {};
    else if (name !== 'arguments') normaliseEmpty(value);
  }
};

/** An error ends the connection, because the head of the answer may have been sent. */
const answer = async (
  { onError }: McpNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  response: Response,
): Promise<FastifyReply> => {
  try {
    return await sendWebResponse(response, reply);
  } catch (error) {
    onError(error, factsOf(request));
    reply.raw.destroy();
    return reply;
  }
};

const inSession = async (
  { sessions }: McpNeeds,
  asked: Request,
  caller: AgentCaller,
  request: FastifyRequest,
  { raw }: FastifyReply,
): Promise<Response> => {
  const session = await sessionFor(sessions, caller, request);
  const serving = beginEarlier(session, request, { caller, choice: choiceOf(request), ...idempotencyOf(request) });
  return serving(asked, raw);
};

const exchange = async (
  { exchanges }: McpNeeds,
  asked: Request,
  caller: AgentCaller,
  request: FastifyRequest,
  { raw }: FastifyReply,
): Promise<Response> => {
  const context: RequestContext = {
    caller,
    gone: asked.signal,
    choice: choiceOf(request),
    ...idempotencyOf(request),
  };
  const { response, release } = await exchanges.serve(asked, request.body, context, () => raw.destroy());
  onceClosed(raw, release);
  return response;
};

const choiceOf = ({ query }: FastifyRequest): ToolChoice => parseToolChoice((query as { tools?: unknown }).tools);

const idempotencyOf = ({ headers: { 'idempotency-key': key } }: FastifyRequest): { idempotencyKey: string | null } => ({
  idempotencyKey: key === undefined ? null : String(key),
});
