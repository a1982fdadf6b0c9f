/** One operation over HTTP: its request, its reply, and its retries. */

import { invalidResponse, PostroomError } from './client-errors.ts';

/** The facts needed to call an operation. */
export interface Route {
  method: string;
  /** As in `/v1/messages/{id}`: a name in braces is taken from the input. */
  path: string;
  /** Fields of the query in requests with a body. */
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
   * Retries after 429, 503, a gateway's 502 or 504, or no answer; 2 where left out. Only safe calls are retried: reads,
   * deletes, and sends, which get an Idempotency-Key for it.
   */
  retries?: number;
  /** Another fetch, for a proxy or a test. */
  fetch?: typeof fetch;
  /** Another pause, for a test. */
  pause?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export interface CallOptions {
  /** Sends with the same key within 24 hours are one. Left out, each call has its own. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

const DEFAULT_RETRIES = 2;
const FIRST_PAUSE_MS = 500;
/** A longer requested pause is left to the caller. */
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
      await (settings.pause ?? pause)(pauseMs, options.signal);
    }
  }
};

/** Ends early once `signal` aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });

/** The service or a gateway before it is busy or restarts; or the first try with the same key is still under way. */
const isTransient = ({ status, code }: PostroomError): boolean =>
  [429, 502, 503, 504].includes(status) || code === 'idempotency_in_flight';

/** Milliseconds to wait; null where a retry would have the same result. */
const pauseBefore = (error: unknown, attempt: number): number | null => {
  const backOff = FIRST_PAUSE_MS * 2 ** attempt * (0.75 + Math.random() / 2);
  // fetch rejects with a TypeError where there is no answer.
  if (!(error instanceof PostroomError)) return error instanceof TypeError ? backOff : null;
  if (!isTransient(error)) return null;
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
    // Follows no redirect: a mail goes only to the named host.
    redirect: 'manual',
    ...(signal && { signal }),
  });
  if (route.isBytes && response.ok) return readBytes(response);
  const answer = await readJson(response);
  // A successful answer may have a field of that name: an endpoint's error, or a source's.
  if (!response.ok && typeof answer.error === 'string') throw new PostroomError(response, answer);
  // A refused send, and a late cancellation, are results; no other status is.
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
    if (hasBody && !query.includes(name)) continue;
    // In a query null is left out: a list's last `next_cursor` may be passed on.
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
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
