/**
 * Publishes events in the transaction that causes them and dispatches them to listeners after its commit. The event's
 * row and its webhook deliveries are part of that transaction, so that a crash loses neither.
 */

import type { Clock, RandomBytes } from '../kernel/clock.ts';
import type { EventName, NewEvent } from '../kernel/events.ts';
import type { MailboxId, WebhookId, WorkspaceId } from '../kernel/ids.ts';
import { insertEvent, latestEventSeq, listEventsAfter, type StoredEvent } from '../store/events/event-log.ts';
import { fanOut } from '../store/events/webhook-deliveries.ts';
import type { Db, Tx } from '../store/store.ts';

/**
 * @param webhooks the endpoints with a delivery of it; null where another process published it and they are not known
 */
export type Listener = (event: StoredEvent, webhooks: readonly WebhookId[] | null) => void;

export interface Events {
  /** Inserts the event and its webhook deliveries; listeners are called after the commit. */
  publish<N extends EventName>(tx: Tx, event: NewEvent<N>): Promise<void>;
  /**
   * @param of a workspace or a mailbox: the listener gets its events alone; left out: all events
   * @returns a function that ends the subscription
   */
  subscribe(listener: Listener, of?: WorkspaceId | MailboxId): () => void;
  /**
   * Dispatches the events that other processes (the CLI) have published since the last call; the first call marks the
   * start.
   */
  dispatchForeign(db: Db): Promise<void>;
}

/** Events of one query. */
const BATCH = 200;

export const createEvents = (clock: Clock, random: RandomBytes, onListenerError: (error: unknown) => void): Events => {
  /** By the workspace or mailbox; null: of all events. An event costs nothing for those who wait for others. */
  const listeners = new Map<WorkspaceId | MailboxId | null, Set<Listener>>();
  /** All events up to it are dispatched. Null until the first call of dispatchForeign. */
  let dispatchedUntil: number | null = null;
  /** Own events dispatched beyond `dispatchedUntil`: another process has written in between. */
  const dispatchedAhead = new Set<number>();

  const call = (listener: Listener, ...of: Parameters<Listener>): void => {
    try {
      listener(...of);
    } catch (error) {
      // A listener's fault affects neither the others nor the publisher.
      onListenerError(error);
    }
  };
  const dispatch: Listener = (event, webhooks) => {
    for (const of of new Set([null, event.workspaceId, event.mailboxId])) {
      for (const listener of listeners.get(of) ?? []) call(listener, event, webhooks);
    }
  };
  const dispatchOwn: Listener = (event, webhooks) => {
    if (dispatchedUntil !== null) {
      if (event.seq === dispatchedUntil + 1) dispatchedUntil = event.seq;
      else dispatchedAhead.add(event.seq);
    }
    dispatch(event, webhooks);
  };

  return {
    publish: async (tx, { name, workspaceId, mailboxId, data }) => {
      const event = {
        id: `evt_${Buffer.from(random(18)).toString('base64url')}`,
        workspaceId,
        mailboxId,
        name,
        data: data as Record<string, unknown>,
        createdAt: clock.now(),
      };
      const stored = { ...event, seq: await insertEvent(tx, event) };
      const webhooks = fanOut(tx, stored);
      tx.afterCommit(() => dispatchOwn(stored, webhooks()));
    },
    subscribe: (listener, of: WorkspaceId | MailboxId | null = null) => {
      const own = listeners.get(of) ?? new Set();
      listeners.set(of, own.add(listener));
      return () => {
        own.delete(listener);
        if (own.size === 0) listeners.delete(of);
      };
    },
    dispatchForeign: async (db) => {
      dispatchedUntil ??= await latestEventSeq(db);
      for (;;) {
        const batch = await listEventsAfter(db, dispatchedUntil, BATCH);
        for (const event of batch) {
          if (!dispatchedAhead.delete(event.seq)) dispatch(event, null);
          dispatchedUntil = event.seq;
        }
        if (batch.length < BATCH) return;
      }
    },
  };
};
