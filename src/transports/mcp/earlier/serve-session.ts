/**
 * Requests of clients of the revisions before 2026-07-28. This folder has only their code: sessions, resumed streams,
 * and calls of a disconnected client. It is to be deleted after 2027-07-28, a year after the revision without them.
 */

import type { ServerResponse } from 'node:http';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { rateLimitHeaders, type SharedRateLimit } from '../../../access/rate-limit.ts';
import type { AgentCaller } from '../../../kernel/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { type RequestContext, toAuthInfo } from '../mcp-server.ts';
import type { Session, Sessions } from './sessions.ts';

/** From this version on a client gets a cursor with every stream, and so may resume it. */
const RESUMABLE_SINCE = '2025-11-25';
/** Bounds an initialize request, which is stored with its session. */
const MAX_INITIALIZE_CHARS = 64 * 1024;

const STREAM = 'text/event-stream';
const TAKES_JSON = /application\/(?:json|\*)|\*\/\*/;
/** Of a line with a message; the first event of a stream has none. */
const DATA = 'data: {';

const acceptOf = ({ headers: { accept = '*/*' } }: FastifyRequest): string => accept;
const takesStream = (request: FastifyRequest): boolean => acceptOf(request).includes(STREAM);

/**
 * The protocol asks clients to name both types, and the SDK refuses any other. Some name one: Gemini's program JSON, Claude's
 * connectors streams. Others, as curl, name what covers both.
 */
export const acceptBoth = (request: FastifyRequest, asked: Request): void => {
  if (takesStream(request) || TAKES_JSON.test(acceptOf(request))) {
    asked.headers.set('accept', `application/json, ${STREAM}`);
  }
};

/** The answers of a stream as JSON, for a client that takes none. @throws ApiError session_not_found where it ended before them */
export const asTaken = async (request: FastifyRequest, response: Response): Promise<Response> => {
  if (takesStream(request) || response.headers.get('content-type') !== STREAM) return response;
  // Not by a pattern of lines: JSON may contain U+2028, which ends one there.
  const messages = (await response.text())
    .split('\n')
    .flatMap((line) => (line.startsWith(DATA) ? [line.slice(DATA.length - 1)] : []));
  // What is long comes alone, and is not read.
  const answers = messages.length === 1 ? messages : messages.filter((message) => !('method' in JSON.parse(message)));
  if (answers.length === 0) throw new ApiError('session_not_found');
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  return new Response(answers.length === 1 ? answers[0] : `[${answers}]`, { headers });
};

/** Counts each message of a batch as a request; the first has been counted. @throws ApiError rate_limited */
export const countBatch = async (
  { keyLimit, clock }: { keyLimit: SharedRateLimit; clock: Clock },
  { keyId }: AgentCaller,
  body: unknown,
): Promise<void> => {
  if (!Array.isArray(body)) return;
  for (let message = 1; message < body.length; message += 1) {
    const allowance = await keyLimit.take(keyId);
    if (!allowance.allowed) throw new ApiError('rate_limited', { headers: rateLimitHeaders(allowance, clock) });
  }
};

/** Some clients keep no session, as AWS DevOps Agent: a request without one is served by itself. */
export const hasSession = ({ headers, body }: FastifyRequest): boolean =>
  headers['mcp-session-id'] !== undefined || isInitializeRequest(body);

/** Resumes the session that a request names, or begins one. */
export const sessionFor = async (
  sessions: Sessions,
  caller: AgentCaller,
  { headers, body }: FastifyRequest,
): Promise<Session> => {
  const id = headers['mcp-session-id'];
  if (id !== undefined) return sessions.resume(String(id), caller);
  if (JSON.stringify(body).length > MAX_INITIALIZE_CHARS) throw new ApiError('body_too_large');
  return sessions.begin(caller);
};

/**
 * @returns makes the answer
 * @throws ApiError method_not_allowed for a GET that resumes no stream
 */
export const beginEarlier = (
  { transport, liveness, close }: Session,
  request: FastifyRequest,
  context: Omit<RequestContext, 'gone'>,
): ((asked: Request, raw: ServerResponse) => Promise<Response>) => {
  const { headers, method, body } = request;
  const isResumed = headers['last-event-id'] !== undefined;
  // The server sends nothing unsolicited, so this stream does not exist: the protocol requires 405.
  if (method === 'GET' && !isResumed) throw new ApiError('method_not_allowed', { headers: { allow: 'POST, DELETE' } });
  return async (asked, raw) => {
    const version = headers['mcp-protocol-version'];
    const canResume = takesStream(request) && typeof version === 'string' && version >= RESUMABLE_SINCE;
    let gone = new AbortController().signal;
    if (method === 'POST') gone = liveness.attend(raw, canResume);
    else if (method === 'GET') liveness.resume(raw);
    const authInfo = toAuthInfo({ ...context, gone });
    const response = await transport.handleRequest(asked, { authInfo, parsedBody: body });
    // A failed initialize leaves no session.
    if (transport.sessionId === undefined) await close();
    return response;
  };
};
