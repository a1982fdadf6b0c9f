/** Server-sent events over a hijacked reply (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { toEnvelope } from '../../events/event-envelope.ts';
import { type Millis, SECOND } from '../../kernel/clock.ts';
import type { StoredEvent } from '../../store/events/event-log.ts';
import { AS_SENT, writePart } from './bodies.ts';

/** Proxies close a silent connection after a minute or so. */
const BEAT_EVERY_MS: Millis = 15 * SECOND;
/** A browser's pause before it reconnects. */
const RETRY_MS: Millis = 2 * SECOND;

/** JSON text has no line ends, so an event is one `data:` line. */
const formatBlock = (event: StoredEvent, isNamed: boolean): string =>
  `id: ${event.id}\n${isNamed ? `event: ${event.name}\n` : ''}data: ${JSON.stringify(toEnvelope(event))}\n\n`;

export const readLastEventId = ({ headers }: FastifyRequest): string | null => {
  const value = headers['last-event-id'];
  return typeof value === 'string' && value !== '' ? value : null;
};

/**
 * Streams events until they end, the client disconnects or `signal` aborts.
 * @param isLive checked before each event: false ends the stream
 * @param isNamed false: the name is in the data only, so that a browser receives all events by one listener
 * @param startId sent at once: a client that loses the connection before the first event resumes after it
 */
export const streamEvents = async (
  reply: FastifyReply,
  events: AsyncIterable<StoredEvent>,
  isLive: () => Promise<boolean>,
  signal: AbortSignal,
  {
    beatEveryMs = BEAT_EVERY_MS,
    isNamed = true,
    startId = null,
  }: { beatEveryMs?: Millis | undefined; isNamed?: boolean; startId?: string | null } = {},
): Promise<void> => {
  const timer = setInterval(() => {
    // A comment, which clients ignore. A client that does not read gets no further ones.
    if (!reply.raw.writableNeedDrain) reply.raw.write(':\n\n');
  }, beatEveryMs);
  try {
    reply.hijack();
    reply.raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': AS_SENT,
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    reply.raw.write(`${startId === null ? '' : `id: ${startId}\n`}retry: ${RETRY_MS}\n\n`);
    for await (const event of events) {
      if (!(await isLive()) || signal.aborted) return;
      if (!(await writePart(reply, Buffer.from(formatBlock(event, isNamed)), signal))) return;
    }
  } finally {
    clearInterval(timer);
    reply.raw.end();
  }
};
