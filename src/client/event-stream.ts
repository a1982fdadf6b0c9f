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
/** The service sends something every 15 s. After it the connection counts as broken: its host may be gone without a word. */
const SILENT_MS = 60_000;

/** A block of the stream; one without data tells the position alone. */
interface Block {
  id: string | undefined;
  data: string | undefined;
}

/** Bounds each wait for octets; not the time that the caller takes for an event. */
class Silence {
  readonly #ms: number;
  readonly #end = new AbortController();
  /** Aborts a request that is not answered, and the reading of its body. */
  readonly signal: AbortSignal;

  constructor(ms: number, signal: AbortSignal | undefined) {
    this.#ms = ms;
    this.signal = AbortSignal.any([this.#end.signal, ...(signal ? [signal] : [])]);
  }

  async bound<T>(wait: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#end.abort(), this.#ms);
    return wait.finally(() => clearTimeout(timer));
  }
}

async function* readChunks(body: ReadableStream<Uint8Array>, silence: Silence): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await silence.bound(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** Parses a stream: blocks of lines, separated by empty ones; ignores comments. */
async function* readBlocks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      const fieldOf = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      text = text.slice(end + 2);
      yield { id: fieldOf('id'), data: fieldOf('data') };
    }
  }
}

const open = async (settings: ClientSettings, lastEventId: string | undefined, signal: AbortSignal) => {
  const response = await (settings.fetch ?? fetch)(new URL('/v1/events', settings.baseUrl), {
    headers: {
      authorization: `Bearer ${settings.apiKey}`,
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal,
  });
  if (response.ok && response.body) return response.body;
  throw new PostroomError(response, await readJson(response));
};

/** A retry would be refused again. */
const isFinal = (error: unknown): boolean =>
  error instanceof PostroomError && error.status !== 429 && error.status < 500;

/**
 * Events as they happen, until `signal` aborts or the caller leaves the loop. A connection that breaks is made again, after
 * a pause that grows to 30 s, and goes on after the last event: none is missed. So is one that says nothing for a minute.
 * @throws PostroomError where the key may not listen
 * @example
 * for await (const { event, data } of postroom.events()) {
 *   if (event === 'message.received') console.log(data.from, data.subject);
 * }
 */
export async function* streamEvents(
  settings: ClientSettings,
  options: StreamOptions = {},
  silentMs = SILENT_MS,
): AsyncGenerator<PostroomEvent> {
  const { signal } = options;
  let { lastEventId } = options;
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal?.aborted) {
    try {
      const silence = new Silence(silentMs, signal);
      const body = await silence.bound(open(settings, lastEventId, silence.signal));
      for await (const { id, data } of readBlocks(readChunks(body, silence))) {
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
