/** `GET /v1/events` as an async iterator that continues after a broken connection. */

import { type ClientSettings, pause, readJson } from './call.ts';
import { PostroomError } from './client-errors.ts';
import type { EventData } from './operations.ts';

/** An event with the data of its name. */
export type PostroomEvent = {
  [N in keyof EventData]: { id: string; event: N; timestamp: string; data: EventData[N] };
}[keyof EventData];

export interface StreamOptions {
  /** Continues after that event, as far back as events are kept. */
  lastEventId?: string;
  signal?: AbortSignal;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** A block of the stream; one without data tells the position alone. */
interface Block {
  id: string | undefined;
  data: string | undefined;
}

/** Parses a stream: blocks of lines, separated by empty ones; ignores comments. */
async function* readBlocks(body: ReadableStream<Uint8Array>): AsyncGenerator<Block> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      const fieldOf = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      text = text.slice(end + 2);
      yield { id: fieldOf('id'), data: fieldOf('data') };
    }
  }
}

const open = async (settings: ClientSettings, { lastEventId, signal }: StreamOptions) => {
  const response = await (settings.fetch ?? fetch)(new URL('/v1/events', settings.baseUrl), {
    headers: {
      authorization: `Bearer ${settings.apiKey}`,
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    ...(signal && { signal }),
  });
  if (response.ok && response.body) return response.body;
  throw new PostroomError(response, await readJson(response));
};

/** A retry would be refused again. */
const isFinal = (error: unknown): boolean =>
  error instanceof PostroomError && error.status !== 429 && error.status < 500;

/**
 * Events as they happen, until `signal` aborts or the caller leaves the loop. A connection that breaks is made again, after
 * a pause that grows to 30 s, and goes on after the last event: none is missed.
 * @throws PostroomError where the key may not listen
 * @example
 * for await (const { event, data } of postroom.events()) {
 *   if (event === 'message.received') console.log(data.from, data.subject);
 * }
 */
export async function* streamEvents(
  settings: ClientSettings,
  options: StreamOptions = {},
): AsyncGenerator<PostroomEvent> {
  const { signal } = options;
  let { lastEventId } = options;
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal?.aborted) {
    try {
      const position = lastEventId === undefined ? {} : { lastEventId };
      for await (const { id, data } of readBlocks(await open(settings, { ...position, ...(signal && { signal }) }))) {
        lastEventId = id ?? lastEventId;
        if (data === undefined) continue;
        pauseMs = FIRST_PAUSE_MS;
        yield JSON.parse(data) as PostroomEvent;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (isFinal(error)) throw error;
    }
    if (signal?.aborted) return;
    await (settings.pause ?? pause)(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
