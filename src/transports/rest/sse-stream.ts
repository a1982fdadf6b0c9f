/**
 * `GET /v1/events`: events as they happen, as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 * `Last-Event-ID` goes on after the event of that id. A stream ends with its client, its key or the daemon.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireScope } from '../../access/dispatch.ts';
import { toEnvelope } from '../../events/event-envelope.ts';
import type { EventFeed } from '../../events/feed.ts';
import type { ListeningPlace, ListeningPlaces } from '../../events/listening-places.ts';
import type { AgentCaller } from '../../kernel/caller.ts';
import { type Millis, SECOND } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { StoredEvent } from '../../store/events/event-log.ts';
import { type AuthenticateRequestNeeds, createAuthenticateRequest } from '../http/authenticate-request.ts';
import { disconnectSignal } from '../http/disconnect-signal.ts';
import { unknownField } from './input.ts';

export const EVENT_STREAM = { name: 'stream_events', method: 'GET', path: '/v1/events', scope: 'mail:read' } as const;

/** Proxies give up a silent connection after a minute or so. */
const BEAT_EVERY_MS: Millis = 15 * SECOND;
/** What a browser waits before it connects again. */
const RETRY_MS: Millis = 2 * SECOND;

export interface EventStreamNeeds extends AuthenticateRequestNeeds {
  feed: EventFeed;
  places: ListeningPlaces;
  beatEveryMs?: Millis;
}

/** JSON has no line ends of its own, so an event is one `data:` line. */
const formatBlock = (event: StoredEvent): string =>
  `id: ${event.id}\nevent: ${event.name}\ndata: ${JSON.stringify(toEnvelope(event))}\n\n`;

const readLastEventId = ({ headers }: FastifyRequest): string | null => {
  const value = headers['last-event-id'];
  return typeof value === 'string' && value !== '' ? value : null;
};

/** Resolves once the client has taken what was written, or is gone. */
const drained = ({ raw }: FastifyReply, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      raw.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    raw.once('drain', done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });

const sendEvents = async (
  { feed }: EventStreamNeeds,
  caller: AgentCaller,
  after: number,
  reply: FastifyReply,
  place: ListeningPlace,
  signal: AbortSignal,
): Promise<void> => {
  const of = { workspaceId: caller.workspaceId, mailboxId: caller.mailboxId };
  for await (const event of feed.read(of, after, signal)) {
    if (!(await place.isLive()) || signal.aborted) return;
    if (!reply.raw.write(formatBlock(event))) await drained(reply, signal);
  }
};

export const registerEventStream = (app: FastifyInstance, needs: EventStreamNeeds): void => {
  const { feed, places, beatEveryMs = BEAT_EVERY_MS } = needs;
  const authenticateRequest = createAuthenticateRequest(needs);
  app.get(EVENT_STREAM.path, async (request, reply) => {
    const caller = await authenticateRequest(request, reply);
    requireScope(EVENT_STREAM, caller);
    const [unknown] = Object.keys(request.query as object);
    if (unknown !== undefined) throw unknownField(unknown, 'query');
    const after = await feed.positionOf(caller.workspaceId, readLastEventId(request));
    if (after === null) {
      throw new ApiError('invalid_request', { hint: 'Last-Event-ID names no event that is kept. Begin without it.' });
    }
    const place = places.take(caller.keyId);
    const signal = AbortSignal.any([disconnectSignal(reply), place.ended]);
    const timer = setInterval(() => {
      // A comment, which clients pass over. One that takes in nothing is not written to any further.
      if (!reply.raw.writableNeedDrain) reply.raw.write(':\n\n');
    }, beatEveryMs);
    try {
      reply.hijack();
      reply.raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
      });
      reply.raw.write(`retry: ${RETRY_MS}\n\n`);
      await sendEvents(needs, caller, after, reply, place, signal);
    } finally {
      clearInterval(timer);
      place.release();
      reply.raw.end();
    }
  });
};
