/** Reads `GET /v1/events` as a browser's EventSource does. */

import type { TestAgent, TestInstance } from '../instance.ts';
import { WAIT_LIMIT_MS } from '../wait-limit.ts';

export interface ReadEvent {
  id: string;
  event: string;
  data: { id: string; event: string; timestamp: string; data: Record<string, unknown> };
}

export interface EventStream extends AsyncDisposable {
  response: Response;
  /** The next events, once there are so many. */
  take(count: number, withinMs?: number): Promise<ReadEvent[]>;
  /** What comes until the server ends the stream. Rejects where the connection breaks instead. */
  rest(): Promise<ReadEvent[]>;
}

const parse = (block: string): ReadEvent | null => {
  const fields = new Map(
    block
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(':'))
      .map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
      }),
  );
  const data = fields.get('data');
  if (data === undefined) return null;
  return { id: fields.get('id') ?? '', event: fields.get('event') ?? '', data: JSON.parse(data) as ReadEvent['data'] };
};

/** Resolves once the stream has begun: what happens from then on is in it. */
export const openStream = async (
  { baseUrl }: Pick<TestInstance, 'baseUrl'>,
  { key }: Pick<TestAgent, 'key'>,
  lastEventId?: string,
): Promise<EventStream> => {
  const gone = new AbortController();
  const response = await fetch(new URL('/v1/events', baseUrl), {
    headers: { authorization: `Bearer ${key}`, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: gone.signal,
  });
  if (response.status !== 200 || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const events: ReadEvent[] = [];
  let text = '';
  /** @returns false at the end of the stream */
  const readOn = async (): Promise<boolean> => {
    const { done, value = '' } = await reader.read();
    const blocks = (text + value).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parse(block);
      if (event) events.push(event);
    }
    return !done;
  };
  return {
    response,
    take: async (count, withinMs = WAIT_LIMIT_MS) => {
      const timer = setTimeout(() => gone.abort(new Error(`Not ${count} events within ${withinMs} ms`)), withinMs);
      try {
        while (events.length < count) if (!(await readOn())) throw new Error('The stream has ended.');
        return events.splice(0, count);
      } finally {
        clearTimeout(timer);
      }
    },
    rest: async () => {
      while (await readOn());
      return events.splice(0);
    },
    [Symbol.asyncDispose]: async () => {
      gone.abort();
      await reader.cancel().catch(() => undefined);
    },
  };
};
