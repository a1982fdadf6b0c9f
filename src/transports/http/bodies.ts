/**
 * Budgets the memory of bodies. A request's octets are reserved by Content-Length before it is read, or as they arrive
 * if chunked. They are held until the reply is sent; those of a large reply until the client has received it. A client
 * below the minimum rate is disconnected, and at a bound the slowest transfer is ended for a new one.
 */

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import type { Budget } from '../../budget/budget.ts';
import { type Holder, type Lease, slownessRank } from '../../budget/budget-pool.ts';
import { Pace } from '../../budget/pace.ts';
import type { Limit } from '../../budget/quota-subject.ts';
import { type Clock, SECOND } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { onceClosed } from './once-closed.ts';
import { isAnonymous, quotaSubjectOf } from './request-quota-subject.ts';

/**
 * `cache-control` of what no proxy may keep or change: Cloudflare puts "[email protected]" for the addresses of an HTML
 * page, and a proxy that compresses holds the first events of a stream until they fill a block (Caddy's `encode`).
 */
export const AS_SENT = 'no-store, no-transform';

export interface BodyLimits {
  budget: Pick<Budget, 'bodyBytes' | 'anonymousBodyBytes' | 'pace'>;
  /** How long a transfer takes before it may be ended for a new one. */
  giveWaySeconds: number;
  clock: Clock;
}

const limitsOf = new WeakMap<Server, BodyLimits>();

const RETRY_AFTER = { 'retry-after': '10' };
/** Smaller replies are not counted: they fit into the socket's buffers. */
const LARGE_REPLY = 64 * 1024;
/** What a large reply is written in: a socket tells of a write that it has ended, not how far it is. */
const PIECE = 16 * 1024;
/** Of a refused body: the silence after which its client waits for the reply, and what is dropped before it at most. */
const QUIET_MS = 1 * SECOND;
const MAX_DROP_MS = 60 * SECOND;
const MAX_DROPPED = 128 * 1024 * 1024;
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
  // An error that no listener takes ends the process. A refused body has none: its client may disconnect meanwhile.
  counted.on('error', () => undefined);
  payload.on('error', (error) => counted.destroy(error));
  // An unread rest is drained, so that the connection can be reused.
  reply.raw.once('finish', () => payload.unpipe(counted).resume());
  return payload.pipe(counted);
};

/** Fails the reading of the body; the reply is still sent before the connection closes. */
const failBody = (body: NodeJS.ReadableStream, socket: Socket): void => {
  const isRead = ['data', 'error'].every((event) => body.listenerCount(event) > 0);
  if (isRead) body.emit('error', tooSlow());
  else socket.destroy();
};

/** Drops what is to come of a refused body. Most clients and proxies read no reply before they have sent all of it. */
export const dropBody = async ({ raw, headers }: FastifyRequest): Promise<void> => {
  if (raw.complete || raw.closed || (headers['content-length'] ?? headers['transfer-encoding']) === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timers = [QUIET_MS, MAX_DROP_MS].map((ms) => setTimeout(resolve, ms).unref());
  let dropped = 0;
  raw.unpipe().on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > MAX_DROPPED) resolve();
    else timers[0]?.refresh();
  });
  raw.once('close', resolve).once('end', resolve).resume();
  await promise;
  for (const timer of timers) clearTimeout(timer);
};

const toLargeReply = (payload: Buffer | string): Buffer | null => {
  if (payload.length < LARGE_REPLY) return null;
  return typeof payload === 'string' ? Buffer.from(payload) : payload;
};

const inPieces = function* (bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
};

/** Opens the lease of a transfer. @param transferred octets so far; null: it is complete, and what it led to goes on */
const openLease = (
  { budget, giveWaySeconds, clock }: BodyLimits,
  request: FastifyRequest,
  transferred: () => number | null,
  evict: () => void,
): Lease => {
  const began = clock.now();
  const holder: Holder = {
    evictionRank: () => slownessRank(clock, began, transferred(), giveWaySeconds * SECOND),
    evict,
  };
  return (isAnonymous(request) ? budget.anonymousBodyBytes : budget.bodyBytes).open(quotaSubjectOf(request), holder);
};

/**
 * Counts and paces octets on their way to the client.
 * @returns ends it
 * @throws ApiError at a bound
 */
const holdReply = (limits: BodyLimits, request: FastifyRequest, octets: number): (() => void) => {
  const { socket } = request.raw;
  const before = socket.bytesWritten;
  const sent = (): number => socket.bytesWritten - before - socket.writableLength;
  const cut = (): void => void socket.destroy();
  const lease = openLease(limits, request, sent, cut);
  const limit = octets < LARGE_REPLY ? null : lease.grow(octets);
  if (limit) throw tooMuch(limit);
  // With nothing to write, its source is slow, not the client.
  const onSlow = (): void => (socket.writableLength > 0 ? cut() : pace.start());
  const pace = new Pace({ ...limits.budget.pace, exemptBytes: 0 }, sent, onSlow);
  pace.start();
  return () => {
    pace.stop();
    lease.release();
  };
};

/**
 * Writes a part of a reply that was taken over, under the limits of whole replies.
 * @param gone aborted once the client has disconnected
 * @returns once the client has received it; false where it is gone, or a bound ended its connection
 */
export const writePart = async (reply: FastifyReply, part: Uint8Array, gone: AbortSignal): Promise<boolean> => {
  const { raw, request } = reply;
  const limits = limitsOf.get(reply.server.server);
  if (!limits) throw new Error('A reply of a server without limits.');
  let release = (): void => undefined;
  try {
    release = holdReply(limits, request, part.length);
    for (const piece of inPieces(part)) if (!raw.write(piece)) await once(raw, 'drain', { signal: gone });
    return !raw.destroyed;
  } catch {
    raw.destroy();
    return false;
  } finally {
    release();
  }
};

export const boundBodies = (app: FastifyInstance, limits: BodyLimits): void => {
  limitsOf.set(app.server, limits);
  app.addHook('preParsing', (request, reply, payload, done) => {
    const announced = announcedBytes(request);
    if (announced === 0) {
      done(null, payload);
      return;
    }
    const { socket } = request.raw;
    const before = socket.bytesRead;
    const received = (): number => socket.bytesRead - before;
    const fail = (): void => failBody(body, socket);
    const lease = openLease(limits, request, () => (payload.readableEnded ? null : received()), fail);
    const limit = announced === null ? null : lease.grow(announced);
    // A refused body is still read and dropped, because a client that is sending would not read the refusal.
    const body = announced === null ? growing(payload, lease, reply) : payload;
    const pace = new Pace(limits.budget.pace, received, fail);
    pace.start();
    payload.once('end', () => pace.stop());
    onceClosed(reply.raw, () => {
      pace.stop();
      lease.release();
    });
    if (limit) done(tooMuch(limit));
    else done(null, body);
  });

  app.addHook('onSend', async (request, reply, payload) => {
    if (!(typeof payload === 'string' || payload instanceof Buffer || payload instanceof Readable)) return payload;
    // A stream is generated while it is sent, and holds little memory.
    const large = payload instanceof Readable ? null : toLargeReply(payload);
    onceClosed(reply.raw, holdReply(limits, request, reply.statusCode >= 400 ? 0 : (large?.length ?? 0)));
    if (large === null) return payload;
    reply.header('content-length', large.length);
    return Readable.from(inPieces(large));
  });
};
