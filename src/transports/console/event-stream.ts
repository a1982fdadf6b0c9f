/** `/console/api/events`: what happens in a workspace, to all of its agents, as it happens. Ends with the session. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CONSOLE_STREAMS_PER_OWNER } from '../../budget/budget.ts';
import { type Pool, takeSlot } from '../../budget/budget-pool.ts';
import type { EventFeed } from '../../events/feed.ts';
import { SECOND } from '../../kernel/clock.ts';
import { requireFound } from '../../kernel/errors.ts';
import { disconnectSignal } from '../http/disconnect-signal.ts';
import { readLastEventId, streamEvents } from '../http/event-stream.ts';
import { API } from './operation-calls.ts';
import { countAsOwner, type SessionGuard } from './session-guard.ts';

export interface ConsoleEventsNeeds {
  guard: SessionGuard;
  feed: Pick<EventFeed, 'positionOf' | 'read'>;
  /** Open streams, by owner. */
  streams: Pool;
}

const TOO_MANY = `At most ${CONSOLE_STREAMS_PER_OWNER} event streams are open at once. Close some of the tabs.`;
const RETRY_AFTER_SECONDS = 30;
/** How soon an idle stream ends after its session. */
const CHECK_EVERY_MS = 5 * SECOND;

export const registerConsoleEvents = (scope: FastifyInstance, { guard, feed, streams }: ConsoleEventsNeeds): void => {
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const session = await guard.require(request, reply);
    countAsOwner(request, session, guard.callerOf(request, session));
  };
  scope.get(`${API}/events`, { onRequest: admit }, async (request, reply) => {
    const session = requireFound(await guard.find(request), 'not_signed_in');
    const { workspaceId } = guard.callerOf(request, session);
    // For a purged id the stream starts now: the page reloads its data when the stream opens, so nothing is missed.
    const after =
      (await feed.positionOf(workspaceId, readLastEventId(request))) ?? (await feed.positionOf(workspaceId, null)) ?? 0;
    const lease = takeSlot(streams, { key: session.owner.id }, TOO_MANY, RETRY_AFTER_SECONDS);
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
      lease.release();
    }
  });
};
