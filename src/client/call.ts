/** One operation over HTTP: its request, its reply, and when it is made again. */

import { invalidResponse, PostroomError } from './client-errors.ts';

/** What is known of an operation in order to call it. */
export interface Route {
  method: string;
  /** As in `/v1/messages/{id}`: a name in braces is taken from the input. */
  path: string;
  /** Fields that stand in the query although there is a body. */
  query: readonly string[];
  hasBody: boolean;
  /** Whether it takes an Idempotency-Key. */
  isIdempotent: boolean;
  /** Answered with bytes instead of JSON. */
  isBytes: boolean;
}

export interface ClientSettings {
  baseUrl: string;
  apiKey: string;
  /**
   * How often a call that came to 429, to 503 or to no answer is made again; 2 where left out. Only calls that are safe to
   * repeat are: reads, deletes, and sends, which get an Idempotency-Key for it.
   */
  retries?: number;
  /** Another fetch, for a proxy or a test. */
  fetch?: typeof fetch;
  /** Another pause, for a test. */
  pause?: (ms: number) => Promise<void>;
}

export interface CallOptions {
  /** Sends of the same key within 24 hours are one. Left out, each call has its own. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

const DEFAULT_RETRIES = 2;
const FIRST_PAUSE_MS = 500;
/** A wait that is asked for and is longer is the caller's to decide on. */
const LONGEST_PAUSE_MS = 60_000;

/** Null: the operation needs no key. */
type CallSettings = Omit<ClientSettings, 'apiKey'> & { apiKey: string | null };

export const call = async (
  settings: CallSettings,
  route: Route,
  input: Record<string, unknown>,
  options: CallOptions = {},
): Promise<unknown> => {
  const { retries = DEFAULT_RETRIES } = settings;
  const key = options.idempotencyKey ?? (route.isIdempotent && retries > 0 ? crypto.randomUUID() : undefined);
  const isRepeatable = route.method === 'GET' || route.method === 'DELETE' || key !== undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await callOnce(settings, route, input, {
        ...options,
        ...(key !== undefined && { idempotencyKey: key }),
      });
    } catch (error) {
      const pauseMs = isRepeatable && attempt < retries ? pauseBefore(error, attempt) : null;
      if (pauseMs === null || options.signal?.aborted) throw error;
      await (settings.pause ?? pause)(pauseMs);
    }
  }
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Milliseconds to wait; null where another attempt would come to the same. */
const pauseBefore = (error: unknown, attempt: number): number | null => {
  const backOff = FIRST_PAUSE_MS * 2 ** attempt * (0.75 + Math.random() / 2);
  // fetch rejects with a TypeError where there was no answer.
  if (!(error instanceof PostroomError)) return error instanceof TypeError ? backOff : null;
  if (error.status !== 429 && error.status !== 503) return null;
  const ms = error.retryAfter === null ? backOff : error.retryAfter * 1000;
  return ms <= LONGEST_PAUSE_MS ? ms : null;
};

const callOnce = async (
  settings: CallSettings,
  route: Route,
  input: Record<string, unknown>,
  { idempotencyKey, signal }: CallOptions,
): Promise<unknown> => {
  const { url, body } = toRequest(settings.baseUrl, route, input);
  const response = await (settings.fetch ?? fetch)(url, {
    method: route.method,
    headers: {
      ...(settings.apiKey !== null && { authorization: `Bearer ${settings.apiKey}` }),
      ...(body !== null && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body,
    // A mail goes to no other host than the one that was named.
    redirect: 'manual',
    ...(signal && { signal }),
  });
  if (route.isBytes && response.ok) return readBytes(response);
  const answer = await readJson(response);
  // An answer may have a field of that name: what an endpoint did, or why a source failed.
  if (!response.ok && typeof answer.error === 'string') throw new PostroomError(response, answer);
  // A send that is refused, and what was too late to cancel, are results; nothing else is.
  if (!response.ok && response.status !== 409 && response.status !== 422) {
    throw invalidResponse(response, JSON.stringify(answer));
  }
  return answer;
};

/** @throws PostroomError where the reply is no JSON object */
export const readJson = async (response: Response): Promise<Record<string, unknown>> => {
  const text = await response.text();
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === 'object' && answer !== null) return answer as Record<string, unknown>;
  } catch {
    // Falls through: what does not parse is no answer of the interface.
  }
  throw invalidResponse(response, text);
};

const toRequest = (baseUrl: string, route: Route, input: Record<string, unknown>) => {
  const { path, query, hasBody } = route;
  const rest = { ...input };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return encodeURIComponent(value);
  });
  const url = new URL(filled, baseUrl);
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined || (hasBody && !query.includes(name))) continue;
    url.searchParams.set(name, String(value));
    delete rest[name];
  }
  return { url, body: hasBody ? JSON.stringify(rest) : null };
};

const readBytes = async (response: Response) => {
  const disposition = response.headers.get('content-disposition') ?? '';
  return {
    contentType: response.headers.get('content-type') ?? 'application/octet-stream',
    filename: decodeURIComponent(/filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1] ?? ''),
    content: new Uint8Array(await response.arrayBuffer()),
  };
};
