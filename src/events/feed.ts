/**
 * Live feeds of events from a position on: stored events first, then published ones. A published event only wakes the
 * feed, which reads from the store: a slow reader costs no memory, and no event is missed between the two.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { MailboxId, WorkspaceId } from '../kernel/ids.ts';
import {
  findEventSeq,
  latestEventId,
  latestEventSeq,
  listWorkspaceEvents,
  type StoredEvent,
} from '../store/events/event-log.ts';
import type { Db } from '../store/store.ts';
import type { Events } from './publish-events.ts';

/** Selects events: those of one mailbox, or of all, and those of the workspace as a whole. */
export interface FeedOf {
  workspaceId: WorkspaceId;
  mailboxId: MailboxId | null | 'all';
}

export interface FeedPage {
  events: StoredEvent[];
  /** The position of the next page. */
  until: number;
  /** Whether more stored events may follow. */
  more: boolean;
}

export interface EventFeed {
  /**
   * The start of a feed: after the event of that id; null: after all stored events.
   * @returns null where the workspace has no such event, or it is purged
   */
  positionOf(workspaceId: WorkspaceId, lastId: string | null): Promise<number | null>;
  /** The id after which a feed from now on begins; null where the workspace has no event yet. */
  latestId(workspaceId: WorkspaceId): Promise<string | null>;
  /** The stored events after a position, oldest first. */
  page(of: FeedOf, after: number, limit: number): Promise<FeedPage>;
  /** Ends once `signal` aborts or the feed closes. */
  read(of: FeedOf, after: number, signal: AbortSignal): AsyncGenerator<StoredEvent>;
  close(): void;
}

/** Events of one query. */
const BATCH = 100;
/** Queries of one page, where few of the workspace's events match. */
const MAX_BATCHES = 20;

const isFor = ({ mailboxId }: FeedOf, event: StoredEvent): boolean =>
  mailboxId === 'all' || event.mailboxId === null || event.mailboxId === mailboxId;

export const createEventFeed = (db: Db, events: Events): EventFeed => {
  const closing = new AbortController();

  const page = async (of: FeedOf, after: number, limit: number): Promise<FeedPage> => {
    const found: StoredEvent[] = [];
    let until = after;
    for (let batches = 0; batches < MAX_BATCHES; batches++) {
      const batch = await listWorkspaceEvents(db, of.workspaceId, until, BATCH);
      for (const event of batch) {
        if (found.length === limit) return { events: found, until, more: true };
        until = event.seq;
        if (isFor(of, event)) found.push(event);
      }
      if (batch.length < BATCH) return { events: found, until, more: false };
      await yieldToLoop();
    }
    return { events: found, until, more: true };
  };

  async function* read(of: FeedOf, after: number, given: AbortSignal) {
    const signal = AbortSignal.any([given, closing.signal]);
    let isMore = true;
    let wake = () => {};
    const notify = () => {
      isMore = true;
      wake();
    };
    const unsubscribe = events.subscribe(notify, of.workspaceId);
    signal.addEventListener('abort', notify);
    try {
      while (!signal.aborted) {
        isMore = false;
        const { events: found, until, more } = await page(of, after, BATCH);
        after = until;
        for (const event of found) {
          if (signal.aborted) return;
          yield event;
        }
        if (more) await yieldToLoop();
        if (more || isMore || signal.aborted) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', notify);
      unsubscribe();
    }
  }

  return {
    positionOf: (workspaceId, lastId) => (lastId === null ? latestEventSeq(db) : findEventSeq(db, workspaceId, lastId)),
    latestId: (workspaceId) => latestEventId(db, workspaceId),
    page,
    read,
    close: () => closing.abort(),
  };
};
