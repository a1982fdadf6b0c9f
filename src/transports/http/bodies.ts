/**
 * Budgets the memory of bodies. A request's octets are reserved by Content-Length before it is read, or as they arrive
 * if chunked. They are held until the reply is sent; those of a large reply until the client has received it. A client
 * below the minimum rate is disconnected.
 */

import type { Socket } from 'node:net';
import { Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import type { Budget } from '../../budget/budget.ts';
import type { Lease } from '../../budget/budget-pool.ts';
import { Pace } from '../../budget/pace.ts';
import type { Limit } from '../../budget/quota-subject.ts';
import { ApiError } from '../../kernel/errors.ts';
import { isAnonymous, quotaSubjectOf } from './request-quota-subject.ts';

type BodyBudget = Pick<Budget, 'bodyBytes' | 'anonymousBodyBytes' | 'pace'>;

const RETRY_AFTER = { 'retry-after': '10' };
/** Smaller replies fit into the socket's buffers. */
const LARGE_REPLY = 64 * 1024;
/** What a large reply is written in: a socket tells of a write that it has ended, not how far it is. */
const PIECE = 16 * 1024;
/** Methods with a body that is not read. */
const BODILESS = new Set(['GET', 'HEAD', 'TRACE']);

const tooMuch = (limit: Limit): ApiError => {
  if (limit === 'all') return new ApiError('overloaded', { headers: RETRY_AFTER });
  const hint = `The requests of this ${limit} that are under way hold as many bytes as it may have. Wait until they end.`;
  return new ApiError('rate_limited', { hint, headers: RETRY_AFTER });
};
const tooSlow = () => new ApiError('invalid_request', { hint: 'The body came too slowly, or stopped. Send it again.' });

/** The octets that will be read: null if chunked; 0 for a body beyond its route's limit, which is not read. */
const announcedBytes = ({ method, headers, routeOptions }: FastifyRequest): number | null => {
  if (BODILESS.has(method)) return 0;
  if (headers['transfer-encoding'] !== undefined) return null;
  const length = Number(headers['content-length'] ?? 0);
  return length <= (routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY) ? length : 0;
};

/** Passes a chunked body on while the lease grows with it. */
const growing = (payload: RequestPayload, lease: Lease, reply: FastifyReply): Transform => {
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const limit = lease.grow(chunk.length);
      if (limit) done(tooMuch(limit));
      else done(null, chunk);
    },
  });
  payload.on('error', (error) => counted.destroy(error));
  // An unread rest is drained, so that the connection can be reused.
  reply.raw.once('finish', () => payload.unpipe(counted).resume());
  return payload.pipe(counted);
};

/** Fails the reading of the body; the reply is still sent before the connection closes. */
const failBody = (body: NodeJS.ReadableStream, socket: Socket): void => {
  if (body.listenerCount('error') > 0) body.emit('error', tooSlow());
  else socket.destroy();
};

const toLargeReply = (payload: unknown): Buffer | null => {
  if (typeof payload === 'string') return payload.length >= LARGE_REPLY ? Buffer.from(payload) : null;
  return payload instanceof Buffer && payload.length >= LARGE_REPLY ? payload : null;
};

const inPieces = function* (bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
};

export const boundBodies = (app: FastifyInstance, budget: BodyBudget): void => {
  const limits = budget.pace;
  const open = (request: FastifyRequest): Lease =>
    (isAnonymous(request) ? budget.anonymousBodyBytes : budget.bodyBytes).open(quotaSubjectOf(request));
  app.addHook('preParsing', (request, reply, payload, done) => {
    const announced = announcedBytes(request);
    if (announced === 0) {
      done(null, payload);
      return;
    }
    const lease = open(request);
    reply.raw.once('close', () => lease.release());
    const limit = announced === null ? null : lease.grow(announced);
    // A refused body is still read and dropped, because a client that is sending would not read the refusal.
    const body = announced === null ? growing(payload, lease, reply) : payload;
    const { socket } = request.raw;
    const before = socket.bytesRead;
    const pace = new Pace(
      limits,
      () => socket.bytesRead - before,
      () => failBody(body, socket),
    );
    pace.start();
    for (const end of ['end', 'close']) payload.once(end, () => pace.stop());
    if (limit) done(tooMuch(limit));
    else done(null, body);
  });

  app.addHook('onSend', async (request, reply, payload) => {
    // A stream is generated while it is sent, and holds little memory.
    const bytes = toLargeReply(payload);
    if (bytes === null && !(payload instanceof Readable)) return payload;
    const lease = open(request);
    const limit = bytes === null || reply.statusCode >= 400 ? null : lease.grow(bytes.length);
    if (limit) throw tooMuch(limit);
    const { socket } = request.raw;
    const before = socket.bytesWritten;
    const pace = new Pace(
      bytes === null ? limits : { ...limits, exemptBytes: 0 },
      () => socket.bytesWritten - before - socket.writableLength,
      () => socket.destroy(),
    );
    pace.start();
    reply.raw.once('close', () => {
      pace.stop();
      lease.release();
    });
    if (bytes === null) return payload;
    reply.header('content-length', bytes.length);
    return Readable.from(inPieces(bytes));
  });
};
