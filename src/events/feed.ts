/**
 * A live reading of events from one on: what is stored first, then what is published. A reader is only told that there is
 * more and reads it from the store, so that one that is slow costs no memory, and nothing falls between the two.
 */

import type { MailboxId, WorkspaceId } from '../kernel/ids.ts';
import { findEventSeq, latestEventSeq, listWorkspaceEvents, type StoredEvent } from '../store/events/event-log.ts';
import type { Db } from '../store/store.ts';
import type { Events } from './publish-events.ts';

/** Whose events are read: those of one mailbox, and those that concern the workspace as a whole. */
export interface FeedOf {
  workspaceId: WorkspaceId;
  mailboxId: MailboxId | null;
}

export interface EventFeed {
  /**
   * Where a reading begins: after the event of that id, or after all there is.
   * @returns null where the workspace has no event of that id, or has forgotten it
   */
  positionOf(workspaceId: WorkspaceId, lastId: string | null): Promise<number | null>;
  /** Ends once `signal` aborts or the feed closes. */
  read(of: FeedOf, after: number, signal: AbortSignal): AsyncGenerator<StoredEvent>;
  close(): void;
}

const PART = 100;

export const createEventFeed = (db: Db, events: Events): EventFeed => {
  const readers = new Map<WorkspaceId, Set<() => void>>();
  const closing = new AbortController();
  const unsubscribe = events.subscribe(({ workspaceId }) => {
    for (const rouse of readers.get(workspaceId) ?? []) rouse();
  });

  const addReader = (workspaceId: WorkspaceId, rouse: () => void): (() => void) => {
    const ofWorkspace = readers.get(workspaceId) ?? new Set();
    readers.set(workspaceId, ofWorkspace.add(rouse));
    return () => {
      ofWorkspace.delete(rouse);
      if (ofWorkspace.size === 0) readers.delete(workspaceId);
    };
  };

  async function* read({ workspaceId, mailboxId }: FeedOf, after: number, given: AbortSignal) {
    const signal = AbortSignal.any([given, closing.signal]);
    let isMore = true;
    let wake = () => {};
    const rouse = () => {
      isMore = true;
      wake();
    };
    const removeReader = addReader(workspaceId, rouse);
    signal.addEventListener('abort', rouse);
    try {
      while (!signal.aborted) {
        isMore = false;
        const part = await listWorkspaceEvents(db, workspaceId, after, PART);
        for (const event of part) {
          after = event.seq;
          if (event.mailboxId !== null && event.mailboxId !== mailboxId) continue;
          if (signal.aborted) return;
          yield event;
        }
        if (part.length === PART) {
          // Others have their turn, however much of it was not this reader's.
          await new Promise((resolve) => setImmediate(resolve));
          continue;
        }
        if (isMore || signal.aborted) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', rouse);
      removeReader();
    }
  }

  return {
    positionOf: (workspaceId, lastId) => (lastId === null ? latestEventSeq(db) : findEventSeq(db, workspaceId, lastId)),
    read,
    close: () => {
      unsubscribe();
      closing.abort();
    },
  };
};
