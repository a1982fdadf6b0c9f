/** `/console/api/events`: what happens in a workspace, to all of its agents, as it happens. Ends with the session. */

import type { FastifyInstance } from 'fastify';
import type { EventFeed } from '../../events/feed.ts';
import { SECOND } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import { disconnectSignal } from '../http/disconnect-signal.ts';
import { readLastEventId, streamEvents } from '../http/event-stream.ts';
import { API } from './operation-calls.ts';
import type { SessionGuard } from './session-guard.ts';

export interface ConsoleEventsNeeds {
  guard: SessionGuard;
  feed: Pick<EventFeed, 'positionOf' | 'read'>;
}

/** One for each open tab, with some to spare: a tab that was closed is noticed late. */
const STREAMS_PER_OWNER = 30;
/** How soon a stream that has nothing to say ends after its session. */
const CHECK_EVERY_MS = 5 * SECOND;

export const registerConsoleEvents = (scope: FastifyInstance, { guard, feed }: ConsoleEventsNeeds): void => {
  const open = new Map<OwnerId, number>();
  scope.get(`${API}/events`, async (request, reply) => {
    const session = await guard.require(request, reply);
    const { workspaceId } = guard.callerOf(request, session);
    const { id } = session.owner;
    const count = open.get(id) ?? 0;
    if (count >= STREAMS_PER_OWNER) {
      const hint = `At most ${STREAMS_PER_OWNER} event streams are open at once. Close some of the tabs.`;
      throw new ApiError('rate_limited', { hint, headers: { 'retry-after': '30' } });
    }
    // An id that is purged: the page loads what it shows anew when the stream opens, so that nothing is missed.
    const after =
      (await feed.positionOf(workspaceId, readLastEventId(request))) ?? (await feed.positionOf(workspaceId, null)) ?? 0;
    open.set(id, count + 1);
    const over = new AbortController();
    const signal = AbortSignal.any([disconnectSignal(reply), over.signal]);
    const isLive = async (): Promise<boolean> => ((await guard.find(request))?.callerIn(workspaceId) ?? null) !== null;
    const timer = setInterval(() => {
      isLive().then(
        (live) => {
          if (!live) over.abort();
        },
        () => over.abort(),
      );
    }, CHECK_EVERY_MS);
    try {
      const events = feed.read({ workspaceId, mailboxId: 'all' }, after, signal);
      await streamEvents(reply, events, isLive, signal, { isNamed: false });
    } finally {
      clearInterval(timer);
      const left = (open.get(id) ?? 1) - 1;
      if (left === 0) open.delete(id);
      else open.set(id, left);
    }
  });
};
