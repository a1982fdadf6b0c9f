/**
 * Messages of a session's streams, replayed to a client after its connection broke. Bounded per session and in total;
 * a stream with dropped messages cannot be resumed.
 */

import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

export interface EventStores {
  /** A session's own store. */
  open(): SessionEventStore;
  /** Bytes held by all stores. */
  readonly bytes: number;
}

export interface SessionEventStore extends EventStore {
  /** Drops all of it. */
  close(): void;
}

export interface LogBounds {
  bytes: number;
  bytesPerSession: number;
}

/** 1 MiB holds what an agent reads in a minute many times over. */
const DEFAULT_BOUNDS: LogBounds = { bytes: 64 * 1024 * 1024, bytesPerSession: 1024 * 1024 };

interface Entry {
  streamId: string;
  number: number;
  message: JSONRPCMessage;
  bytes: number;
  log: { bytes: number; entries: Set<Entry> };
}

/** The cost of an entry beside its JSON. */
const ENTRY_BYTES = 200;

/** `<stream>.<number>`: the number ascends within the session. */
const EVENT_ID = /^(.{1,64})\.(\d{1,15})$/;

export const createEventStores = ({ bytes: limit, bytesPerSession }: LogBounds = DEFAULT_BOUNDS): EventStores => {
  /** Oldest first. */
  const all = new Set<Entry>();
  let bytes = 0;
  const forget = (entry: Entry | undefined) => {
    if (!entry || !all.delete(entry)) return;
    entry.log.entries.delete(entry);
    entry.log.bytes -= entry.bytes;
    bytes -= entry.bytes;
  };
  const keep = (entry: Entry) => {
    const { log } = entry;
    all.add(entry);
    log.entries.add(entry);
    log.bytes += entry.bytes;
    bytes += entry.bytes;
    while (log.bytes > bytesPerSession) forget(log.entries.values().next().value);
    while (bytes > limit) forget(all.values().next().value);
  };

  const open = (): SessionEventStore => {
    const log: Entry['log'] = { bytes: 0, entries: new Set() };
    let last = 0;
    let isClosed = false;
    return {
      storeEvent: async (streamId, message) => {
        last += 1;
        const number = last;
        if (!isClosed) {
          keep({ streamId, number, message, bytes: JSON.stringify(message).length + ENTRY_BYTES, log });
        }
        return `${streamId}.${number}`;
      },
      getStreamIdForEventId: async (eventId) => EVENT_ID.exec(eventId)?.[1],
      replayEventsAfter: async (eventId, { send }) => {
        const [, streamId = '', number = '0'] = EVENT_ID.exec(eventId) ?? [];
        for (const entry of [...log.entries]) {
          const isNews = entry.streamId === streamId && entry.number > Number(number);
          // A stream begins with an event of no content, which only gives it an id.
          if (isNews && 'jsonrpc' in entry.message) await send(`${streamId}.${entry.number}`, entry.message);
        }
        return streamId;
      },
      close: () => {
        isClosed = true;
        for (const entry of [...log.entries]) forget(entry);
      },
    };
  };
  return {
    open,
    get bytes() {
      return bytes;
    },
  };
};
