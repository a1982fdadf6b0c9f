/** The HTTP server: one Fastify instance with the routes of every HTTP transport. */

import type { Server, Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Budget } from '../../budget/budget.ts';
import { type Clock, SECOND } from '../../kernel/clock.ts';
import { ApiError, hintOf } from '../../kernel/errors.ts';
import { DEFAULT_BODY_LIMIT, type RoutedOperation } from '../../kernel/operation.ts';
import { cidrMatcher } from '../../net/ip/address-range.ts';
import { boundBodies, dropBody } from './bodies.ts';
import { boundConnections, inTurn } from './connections.ts';
import { isFault, sendError, toApiError } from './error-reply.ts';
import { hasTooManyValues, MAX_JSON_VALUES } from './json-values.ts';
import { RawBody } from './raw-body.ts';
import { quotaSubjectOf } from './request-quota-subject.ts';
import { createMediaTypeHint, createMethodLookup, isApiPath } from './routing.ts';
import { wantedMediaType } from './wanted-media-type.ts';

const REQUEST_ID = 'x-request-id';
/** For a whole request: a mail of 25 MB over a line of half a megabit. Slower ones that others wait for give way before. */
const REQUEST_TIME_OUT_MS = 600_000;
/** Interval at which these time-outs are checked. */
const TIME_CHECK_EVERY_MS = 2_000;
/** For an idle connection between two requests. Caddy keeps its own for 120 s: a proxy has to be the one that closes. */
const IDLE_TIME_OUT_MS = 130_000;
/** A filename in a path may be 255 characters, each up to 12 bytes of percent-encoding. */
const MAX_PATH_PARAMETER = 4_096;

/** How long a browser uses TLS only (RFC 6797): 30 days, renewed by each answer. Also sent behind a proxy with TLS. */
const SECURE_FOR_SECONDS = 30 * 24 * 3600;

export interface HttpSettings {
  budget: Pick<Budget, 'httpConnections' | 'bodyBytes' | 'anonymousBodyBytes' | 'pace'>;
  /** Time for a request's header. */
  headerSeconds: number;
  /** How long a connection is idle before it may be evicted. */
  giveWaySeconds: number;
  clock: Clock;
  /** Networks with a trusted X-Forwarded-For. */
  trustedProxies: string[];
  https: HttpsSettings | null;
  /** Makes a request's id for its reply and the log. */
  newRequestId: () => string;
  /** Counts a request without a route. @throws ApiError rate_limited */
  countUnrouted: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Answers a browser that opens a refused page; `path` is without the query. */
  sendRefusalPage: (reply: FastifyReply, refusal: ApiError, path: string) => FastifyReply;
  onError: (error: unknown, about: RequestFacts) => void;
}

export interface HttpsSettings {
  cert: Buffer;
  key: Buffer;
  /** Selects the certificate by the client's server name. */
  SNICallback: (name: string, callback: (error: Error | null, context?: SecureContext) => void) => void;
}

/** The logged facts of a request. */
export interface RequestFacts {
  request_id: string;
  method: string;
  url: string;
}

/** The route, not the path, which may contain a link's secret. */
export const factsOf = ({ id, method, routeOptions }: FastifyRequest): RequestFacts => ({
  request_id: id,
  method,
  url: routeOptions.url ?? '?',
});

export const createHttpServer = (
  settings: HttpSettings,
  operations: readonly Pick<RoutedOperation, 'method' | 'path' | 'rawBody' | 'embeds'>[],
): FastifyInstance => {
  const { budget, headerSeconds, giveWaySeconds, clock, trustedProxies, https, onError } = settings;
  const methodsOf = createMethodLookup(operations);
  const mediaTypeHint = createMediaTypeHint(operations);
  const times = { headersTimeout: headerSeconds * SECOND, connectionsCheckingInterval: TIME_CHECK_EVERY_MS };
  const app = Fastify({
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    ...(https ? { https: { ...https, ...times } } : { http: times }),
    bodyLimit: DEFAULT_BODY_LIMIT,
    requestTimeout: REQUEST_TIME_OUT_MS,
    keepAliveTimeout: IDLE_TIME_OUT_MS,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    genReqId: settings.newRequestId,
    requestIdHeader: false,
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
    clientErrorHandler: (error, socket) => answerMalformed(error, socket, settings.newRequestId()),
    // A path that cannot be read runs no hook, so it is counted here.
    frameworkErrors: (error, request, reply) => {
      reply.header(REQUEST_ID, request.id);
      const refuse = (refusal: unknown) => sendError(reply, toApiError(refusal));
      settings.countUnrouted(request, reply).then(() => refuse(error), refuse);
    },
  });
  app.addHook('onRequest', ({ socket }, { raw }, done) => {
    // A client that left before Node read its address has none: its request is not run, for it counts to no network.
    if (socket.remoteAddress === undefined) socket.destroy();
    else inTurn(raw, done);
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header(REQUEST_ID, request.id);
  });
  const isExempt = cidrMatcher(trustedProxies);
  const limits = { pool: budget.httpConnections, isExempt, headerSeconds, giveWaySeconds, clock };
  const hold = boundConnections(app.server, limits, https === null);
  // Before its body, which may take long as well.
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { workspace } = quotaSubjectOf(request);
    if (workspace !== undefined) hold(reply.raw, workspace);
    done(null, payload);
  });
  boundBodies(app, { budget, giveWaySeconds, clock });
  readJsonStrictly(app);
  readRawBodies(app, new Set(operations.flatMap(({ rawBody }) => (rawBody ? [rawBody.mediaType] : []))));
  app.setErrorHandler(async (error, request, reply) => {
    await dropBody(request);
    const refusal = toApiError(error, request.routeOptions.bodyLimit);
    if (isFault(refusal)) onError(error, factsOf(request));
    if (isForPerson(request)) return settings.sendRefusalPage(reply, refusal, toPath(request));
    if (refusal.code !== 'unsupported_media_type') return sendError(reply, refusal);
    const hint = mediaTypeHint(request.method, request.routeOptions.url ?? '') ?? refusal.hint;
    return sendError(reply, new ApiError(refusal.code, { hint }));
  });
  app.setNotFoundHandler(async (request, reply) => {
    await settings.countUnrouted(request, reply);
    // RFC 9110 section 15.5.6: a path that exists answers a wrong method with those it takes.
    const allowed = methodsOf(toPath(request));
    if (allowed.length === 0) throw new ApiError('route_not_found');
    const methods = allowed.join(', ');
    const hint = `This path does not take ${request.method}. It takes ${methods}.`;
    return sendError(reply, new ApiError('method_not_allowed', { hint, headers: { allow: methods } }));
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff');
    if (https) reply.header('strict-transport-security', `max-age=${SECURE_FOR_SECONDS}`);
  });
  return app;
};

const toPath = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? '';

/** Whether a browser opens a page: requests to the API come from programs, and those of the console from its page. */
const isForPerson = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' &&
  !isApiPath(url) &&
  !url.startsWith('/console/api/') &&
  wantedMediaType(headers.accept, ['text/html']) !== null;

/**
 * Refuses bytes that are no UTF-8 (RFC 8259 section 8.1): replacement characters would change the mail that is sent. A
 * byte order mark, which Windows' programs write into files, is left out.
 */
const utf8 = new TextDecoder('utf-8', { fatal: true });

const TOO_MANY_VALUES = `The body has more than ${MAX_JSON_VALUES} values.`;

/**
 * Accepts JSON only. An empty body counts as none whatever it is announced as, because PowerShell, PHP and Java announce
 * a form with every POST; a route that needs a body refuses it.
 */
const readJsonStrictly = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/([\w.-]+\+)?json\b/i,
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => {
      if (body.length === 0) return undefined;
      if (hasTooManyValues(body)) throw new ApiError('body_too_large', { hint: TOO_MANY_VALUES });
      try {
        return JSON.parse(utf8.decode(body)) as unknown;
      } catch (cause) {
        throw new ApiError('invalid_json', { cause });
      }
    },
  );
  app.addContentTypeParser('*', async ({ headers }: FastifyRequest) => {
    if (headers['content-length'] !== '0') throw new ApiError('unsupported_media_type');
  });
};

/** Reads the raw octets for operations with that media type; others refuse it. */
const readRawBodies = (app: FastifyInstance, mediaTypes: ReadonlySet<string>): void => {
  for (const mediaType of mediaTypes) {
    const parse = async (_request: FastifyRequest, body: Buffer) => new RawBody(mediaType, body);
    app.addContentTypeParser(mediaType, { parseAs: 'buffer' }, parse);
  }
};

const MALFORMED: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Input that is not HTTP is answered in the interface's form, too. */
const answerMalformed = (error: NodeJS.ErrnoException, socket: Socket, requestId: string): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ error: 'invalid_request', hint: hintOf('invalid_request') });
  socket.end(
    `HTTP/1.1 ${MALFORMED[error.code ?? ''] ?? '400 Bad Request'}\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n${REQUEST_ID}: ${requestId}\r\n\r\n${body}`,
  );
};

/** `host:port` for people and for the ready line. */
export const formatServerAddress = (server: Server): string => {
  const address = server.address();
  if (address === null || typeof address === 'string') return String(address);
  return address.family === 'IPv6' ? `[${address.address}]:${address.port}` : `${address.address}:${address.port}`;
};
