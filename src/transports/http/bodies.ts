/**
 * The memory of bodies, drawn from the budget. A request's is reserved by Content-Length before it is read, as it comes
 * where it is chunked, and held until the reply is out; a large reply's until the client has taken it in. A client that is
 * slower than the least speed is ended.
 */

import type { Socket } from 'node:net';
import { Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import type { Budget } from '../../budget/budget.ts';
import type { Lease } from '../../budget/budget-pool.ts';
import type { Limit } from '../../budget/occupant.ts';
import { Pace } from '../../budget/pace.ts';
import { ApiError } from '../../kernel/errors.ts';
import { isStranger, occupantOf } from './request-occupant.ts';

type BodyBudget = Pick<Budget, 'bodyBytes' | 'strangersBodyBytes' | 'pace'>;

const RETRY_AFTER = { 'retry-after': '10' };
/** A smaller reply is in the socket's own buffers. */
const LARGE_REPLY = 64 * 1024;
/** Methods whose body is not read. */
const BODILESS = new Set(['GET', 'HEAD', 'TRACE']);

const tooMuch = (limit: Limit): ApiError => {
  if (limit === 'all') return new ApiError('overloaded', { headers: RETRY_AFTER });
  const hint = `The requests of this ${limit} that are under way hold as many bytes as it may have. Wait until they end.`;
  return new ApiError('rate_limited', { hint, headers: RETRY_AFTER });
};
const tooSlow = () => new ApiError('invalid_request', { hint: 'The body came too slowly, or stopped. Send it again.' });

/** What is read of a body: null where it is chunked, 0 where nothing is, as of one beyond its route's limit. */
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

/** Fails the body's reader, whose reply still goes out before the connection closes. */
const failBody = (body: NodeJS.ReadableStream, socket: Socket): void => {
  if (body.listenerCount('error') > 0) body.emit('error', tooSlow());
  else socket.destroy();
};

const isLarge = (payload: unknown): payload is Buffer | string =>
  (payload instanceof Buffer || typeof payload === 'string') && payload.length >= LARGE_REPLY;

export const boundBodies = (app: FastifyInstance, budget: BodyBudget): void => {
  const limits = budget.pace;
  const open = (request: FastifyRequest): Lease =>
    (isStranger(request) ? budget.strangersBodyBytes : budget.bodyBytes).open(occupantOf(request));
  app.addHook('preParsing', (request, reply, payload, done) => {
    const announced = announcedBytes(request);
    if (announced === 0) {
      done(null, payload);
      return;
    }
    const lease = open(request);
    reply.raw.once('close', () => lease.release());
    const limit = announced === null ? null : lease.grow(announced);
    // A refused body is still read, and dropped: a client that is still sending would not read the refusal.
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
    // A stream is made as it is sent, and holds next to nothing.
    const isStream = payload instanceof Readable;
    if (!isStream && !isLarge(payload)) return payload;
    const lease = open(request);
    const limit = isStream || reply.statusCode >= 400 ? null : lease.grow(payload.length);
    if (limit) throw tooMuch(limit);
    const { socket } = request.raw;
    const before = socket.bytesWritten;
    const pace = new Pace(
      limits,
      () => socket.bytesWritten - before - socket.writableLength,
      () => socket.destroy(),
    );
    pace.start();
    reply.raw.once('close', () => {
      pace.stop();
      lease.release();
    });
    return payload;
  });
};
