/**
 * Consequences, published in the transaction that causes them and told to listeners after its commit. Webhooks, waits
 * and the console listen; the row in the store is what survives a crash.
 */

import type { Clock, RandomBytes } from '../kernel/clock.ts';
import type { EventName, NewEvent } from '../kernel/events.ts';
import { insertEvent, type StoredEvent } from '../store/events.ts';
import type { Tx } from '../store/store.ts';

export type Listener = (event: StoredEvent) => void;

export interface Events {
  /** Writes the event with its cause; listeners hear of it once both are on disk. */
  publish<N extends EventName>(tx: Tx, event: NewEvent<N>): Promise<void>;
  /** @returns what ends the subscription */
  subscribe(listener: Listener): () => void;
}

export const createEvents = (clock: Clock, random: RandomBytes, onListenerError: (error: unknown) => void): Events => {
  const listeners = new Set<Listener>();
  const dispatch = (event: StoredEvent) => {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        // One listener's fault is no other's, and never the fault of what it was told.
        onListenerError(error);
      }
    }
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
      const seq = await insertEvent(tx, event);
      tx.afterCommit(() => dispatch({ ...event, seq }));
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};
