/** Every operation as a REST route. */

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatch } from '../../access/dispatch.ts';
import type { AnonymousCaller } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Bound } from '../../kernel/handlers.ts';
import {
  type BytesReply,
  bytesReply,
  DEFAULT_BODY_LIMIT,
  hasBody,
  isPublic,
  type RoutedOperation,
  StreamReply,
} from '../../kernel/operation.ts';
import { nameBrowser } from '../../kernel/text/browser-name.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';
import {
  type AuthenticateRequestNeeds,
  callerOf,
  createAuthenticateAgain,
  createAuthenticateRequest,
} from '../http/authenticate-request.ts';
import { asDownload, sendBytes } from '../http/bytes-reply.ts';
import { disconnectSignal } from '../http/disconnect-signal.ts';
import { wantedMediaType } from '../http/wanted-media-type.ts';
import { pathParameters, queryParameters, type RequestParts, readInput } from './input.ts';

export interface RestNeeds extends AuthenticateRequestNeeds {
  dispatch: Dispatch;
}

export const registerRest = (app: FastifyInstance, operations: readonly Bound[], needs: RestNeeds): void => {
  const authenticateRequest = createAuthenticateRequest(needs);
  const authenticateAgain = createAuthenticateAgain(needs);
  for (const bound of operations) {
    const { operation } = bound;
    app.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      bodyLimit: operation.bodyLimit ?? DEFAULT_BODY_LIMIT,
      // Runs before the body is read, so that a request without a valid key costs no 32 MiB of memory.
      onRequest: async (request, reply) => {
        await (isPublic(operation) ? needs.countAddress : authenticateRequest)(request, reply);
      },
      preHandler: authenticateAgain,
      handler: (request, reply) => answer(needs.dispatch, bound, request, reply),
    });
  }
};

const answer = async (
  dispatch: Dispatch,
  bound: Bound,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> => {
  const caller = isPublic(bound.operation) ? anonymousCaller(request) : callerOf(request);
  const { params, query, body } = request as unknown as RequestParts;
  try {
    const input = readInput(bound.operation, { params, query, body });
    const answered = await dispatch(bound, {
      caller,
      input,
      idempotencyKey: readIdempotencyKey(request),
      via: 'REST',
      signal: disconnectSignal(reply),
      mediaType: wantedMediaType(request.headers.accept, bound.operation.streams ?? []),
    });
    const { status, body: output, replayed } = answered;
    // Any answer may contain a secret, a code, or mail.
    reply.code(status).header('cache-control', 'no-store');
    if (replayed) reply.header('idempotent-replayed', 'true');
    if (bound.operation.streams) reply.header('vary', 'accept');
    if (output instanceof StreamReply) return sendStream(reply, output);
    if (bound.operation.output !== bytesReply) return output;
    const bytes = output as BytesReply;
    return bytes.inWords ?? sendBytes(reply, bytes);
  } catch (error) {
    throw missingBody(bound.operation, request, error) ?? unknownInBody(bound.operation, error) ?? error;
  }
};

const anonymousCaller = ({ ip, headers }: FastifyRequest): AnonymousCaller => ({
  kind: 'anonymous',
  network: clientNetwork(ip),
  browser: nameBrowser(headers['user-agent']),
});

/** Node joins the values of a repeated header: together they are one key. */
const readIdempotencyKey = ({ headers }: FastifyRequest): string | null => {
  const value = headers['idempotency-key'];
  return value === undefined ? null : String(value);
};

/** Reports a missing body instead of its missing first field. An empty one that was announced as JSON is invalid. */
const missingBody = (
  operation: RoutedOperation,
  { body, headers }: FastifyRequest,
  error: unknown,
): ApiError | null => {
  if (!hasBody(operation) || body !== undefined || !(error instanceof ApiError) || error.status !== 400) return null;
  const code = headers['content-type'] === undefined ? 'invalid_request' : 'invalid_json';
  return new ApiError(code, { hint: 'This operation takes a JSON body.' });
};

/** Refuses an unknown field of the body; its hint lists no field of the path or the query. */
const unknownInBody = (operation: RoutedOperation, error: unknown): ApiError | null => {
  if (!(error instanceof ApiError) || error.fault?.rule !== 'unknown' || error.fault.field !== '') return null;
  const elsewhere = new Set([...pathParameters(operation), ...queryParameters(operation)]);
  const allowed = (error.fault.allowed as string[]).filter((name) => !elsewhere.has(name));
  return new ApiError(error.code, { fault: { ...error.fault, allowed } });
};

/** A failure in between ends the connection, so that the client notices an incomplete reply. */
const sendStream = (reply: FastifyReply, { mediaType, filename, chunks }: StreamReply): FastifyReply =>
  asDownload(reply, filename)
    .type(`${mediaType}; charset=utf-8`)
    .send(Readable.from(chunks, { objectMode: false }));
