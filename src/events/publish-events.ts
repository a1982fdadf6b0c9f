/**
 * Consequences, published in the transaction that causes them and told to listeners after its commit. Webhooks, waits
 * and the console listen; the row in the store is what survives a crash, and with it the rows of what is to be sent.
 */

import type { Clock, RandomBytes } from '../kernel/clock.ts';
import type { EventName, NewEvent } from '../kernel/events.ts';
import type { WebhookId } from '../kernel/ids.ts';
import { insertEvent, latestEventSeq, listEventsAfter, type StoredEvent } from '../store/events/event-log.ts';
import { fanOut } from '../store/events/webhook-deliveries.ts';
import type { Db, Tx } from '../store/store.ts';

/** @param webhooks the endpoints that it waits for; null where another process published it, and they are not known */
export type Listener = (event: StoredEvent, webhooks: readonly WebhookId[] | null) => void;

export interface Events {
  /** Writes the event with its cause, and what waits for webhook endpoints; listeners hear of it once it is on disk. */
  publish<N extends EventName>(tx: Tx, event: NewEvent<N>): Promise<void>;
  /** @returns what ends the subscription */
  subscribe(listener: Listener): () => void;
  /**
   * Tells listeners what other processes (the CLI) have published since the last call; the first call begins with what
   * is there.
   */
  dispatchForeign(db: Db): Promise<void>;
}

/** Events read at once. */
const PART = 200;

export const createEvents = (clock: Clock, random: RandomBytes, onListenerError: (error: unknown) => void): Events => {
  const listeners = new Set<Listener>();
  /** Everything up to it has been told. Null until somebody wants to hear of other processes. */
  let toldUntil: number | null = null;
  /** Told, and beyond `toldUntil`: another process has written in between. */
  const toldAhead = new Set<number>();

  const tell: Listener = (event, webhooks) => {
    for (const listener of listeners) {
      try {
        listener(event, webhooks);
      } catch (error) {
        // One listener's fault is no other's, and never the fault of what it was told.
        onListenerError(error);
      }
    }
  };
  const tellOwn: Listener = (event, webhooks) => {
    if (toldUntil !== null) {
      if (event.seq === toldUntil + 1) toldUntil = event.seq;
      else toldAhead.add(event.seq);
    }
    tell(event, webhooks);
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
      const webhooks = await fanOut(tx, stored);
      tx.afterCommit(() => tellOwn(stored, webhooks));
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatchForeign: async (db) => {
      toldUntil ??= await latestEventSeq(db);
      for (;;) {
        const part = await listEventsAfter(db, toldUntil, PART);
        for (const event of part) {
          if (!toldAhead.delete(event.seq)) tell(event, null);
          toldUntil = event.seq;
        }
        if (part.length < PART) return;
      }
    },
  };
};
