/**
 * `GET /v1/events`: events as they happen, as server-sent events. `Last-Event-ID` continues after that event. A stream
 * ends with its client, its key or the daemon.
 */

import type { FastifyInstance } from 'fastify';
import { requireScope } from '../../access/dispatch.ts';
import type { EventFeed } from '../../events/feed.ts';
import type { ListeningSlots } from '../../events/listening-slots.ts';
import type { Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type AuthenticateRequestNeeds, callerOf, createAuthenticateRequest } from '../http/authenticate-request.ts';
import { disconnectSignal } from '../http/disconnect-signal.ts';
import { readLastEventId, streamEvents } from '../http/event-stream.ts';
import { unknownField } from './input.ts';

export const EVENT_STREAM = { name: 'stream_events', method: 'GET', path: '/v1/events', scope: 'mail:read' } as const;

export interface EventStreamNeeds extends AuthenticateRequestNeeds {
  feed: EventFeed;
  slots: ListeningSlots;
  beatEveryMs?: Millis;
}

export const registerEventStream = (app: FastifyInstance, needs: EventStreamNeeds): void => {
  const { feed, slots, beatEveryMs } = needs;
  const authenticateRequest = createAuthenticateRequest(needs);
  app.get(EVENT_STREAM.path, { onRequest: authenticateRequest }, async (request, reply) => {
    const caller = callerOf(request);
    requireScope(EVENT_STREAM, caller);
    const [unknown] = Object.keys(request.query as object);
    if (unknown !== undefined) throw unknownField(unknown, 'query');
    const startId = readLastEventId(request) ?? (await feed.latestId(caller.workspaceId));
    const after = await feed.positionOf(caller.workspaceId, startId);
    if (after === null) {
      throw new ApiError('invalid_request', { hint: 'Last-Event-ID names no event that is kept. Begin without it.' });
    }
    const slot = slots.take(caller);
    const signal = AbortSignal.any([disconnectSignal(reply), slot.ended]);
    const of = { workspaceId: caller.workspaceId, mailboxId: caller.mailboxId };
    try {
      await streamEvents(reply, feed.read(of, after, signal), slot.isLive, signal, { beatEveryMs, startId });
    } finally {
      slot.release();
    }
  });
};
