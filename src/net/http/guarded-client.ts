/**
 * The guarded HTTP client: requests to URLs that outsiders chose. The host is resolved once and every address checked
 * (checked-address.ts); the connection goes to a checked address and to no other, while TLS is verified against the
 * name. No redirect is followed. Time and bytes are bounded.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { createSecureContext, getCACertificates } from 'node:tls';
import { type Millis, SECOND } from '../../kernel/clock.ts';
import { type CheckedAddressNeeds, findCheckedAddresses, hostOf } from './checked-address.ts';
import { type Connections, createConnectionPools } from './connection-pool.ts';

export interface GuardedRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** For the whole of it: DNS, connection, TLS, request and the last byte of the answer. */
  readonly timeoutMs: Millis;
  /** A longer answer is cut there and its connection closed. */
  readonly maxResponseBytes: number;
  readonly signal?: AbortSignal;
  /** Requests of one pool share kept connections with no other pool. Left out: a connection of its own. */
  readonly pool?: string;
  /** Also `http:`; left out, only `https:`. */
  readonly allowPlain?: boolean;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether there was more than `maxResponseBytes`. */
  readonly truncated: boolean;
}

export type GuardedFault = 'url' | 'private_address' | 'dns' | 'time_out' | 'connection' | 'aborted';

/** A request that got no answer. The message may be shown to the caller who chose the URL. */
export class GuardedHttpError extends Error {
  override readonly name = 'GuardedHttpError';
  readonly fault: GuardedFault;
  /** Node's own code where there is one, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  readonly code: string | null;

  constructor(fault: GuardedFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
  }
}

/** @throws GuardedHttpError where there is no whole answer; every status of HTTP is an answer */
export type SendGuarded = (request: GuardedRequest) => Promise<GuardedResponse>;

export interface GuardedHttp {
  request: SendGuarded;
  /** Closes kept connections; requests under way end with an error. */
  close(): void;
}

interface GuardedHttpNeeds extends CheckedAddressNeeds {
  /** PEM of certificate authorities that are trusted beside the usual ones; null where there are none. */
  extraCa: string | null;
}

/** For one connection; a request's own deadline ends it earlier. */
const CONNECT_MS = 30 * SECOND;
/** RFC 9110 section 15.2 sets no bound to 1xx responses, and each is work. */
const MAX_INTERIM = 8;

const requireUsable = (url: URL, allowPlain: boolean): void => {
  if (url.protocol !== 'https:' && !(allowPlain && url.protocol === 'http:')) {
    throw new GuardedHttpError('url', `${url.protocol} is not reached`);
  }
  if (url.username !== '' || url.password !== '') throw new GuardedHttpError('url', 'The URL carries credentials');
};

const readBody = async (
  body: AsyncIterable<Buffer>,
  maximum: number,
): Promise<{ body: Buffer; truncated: boolean }> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop destroys the response, and its connection with it.
    if (size > maximum) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maximum), truncated: size > maximum };
};

/** A connection that its peer closed. */
const CLOSED: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

interface Exchange extends Pick<GuardedRequest, 'url' | 'method' | 'headers' | 'maxResponseBytes'> {
  body: Uint8Array;
  signal: AbortSignal;
}

/** One exchange; `stale` where a kept connection was closed by its peer before it answered. */
const exchange = async (
  connections: Connections,
  { url, method, headers = {}, body, maxResponseBytes, signal }: Exchange,
): Promise<GuardedResponse | 'stale'> => {
  const madeBefore = connections.made;
  const interimEnd = new AbortController();
  let interim = 0;
  let isAnswered = false;
  try {
    const response = await connections.agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers,
      ...(method === 'POST' && { body }),
      signal: AbortSignal.any([signal, interimEnd.signal]),
      // The caller's deadline is for the whole.
      headersTimeout: 0,
      bodyTimeout: 0,
      onInfo: () => {
        if (++interim > MAX_INTERIM) interimEnd.abort(new Error('Interim responses without an end'));
      },
    });
    isAnswered = true;
    const read = await readBody(response.body, maxResponseBytes);
    return { status: response.statusCode, headers: response.headers, ...read };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    const wasKept = connections.made === madeBefore;
    if (wasKept && CLOSED.has(code) && !isAnswered && interim === 0 && !signal.aborted) return 'stale';
    throw error;
  }
};

const reasonOf = (error: unknown): string => {
  // Happy Eyeballs gathers the failures of all addresses in one error without a text.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
};

export const createGuardedHttp = ({ extraCa, ...needs }: GuardedHttpNeeds): GuardedHttp => {
  // Made once: to read all authorities anew for every connection costs more than its handshake.
  const secureContext = extraCa ? createSecureContext({ ca: [...getCACertificates('default'), extraCa] }) : null;
  const pools = createConnectionPools(secureContext, CONNECT_MS);

  const perform = async (wanted: GuardedRequest, signal: AbortSignal): Promise<GuardedResponse> => {
    const { url } = wanted;
    const found = await findCheckedAddresses(needs, url);
    if (found.kind === 'private') {
      // Which address is not said: it would tell what names stand for in the network of the instance.
      throw new GuardedHttpError('private_address', `${hostOf(url)} leads to a private address`);
    }
    if (found.kind === 'unknown') throw new GuardedHttpError('dns', found.reason);
    signal.throwIfAborted();
    const target = { protocol: url.protocol, host: url.host, hostname: hostOf(url), addresses: found.addresses };
    const asked = { ...wanted, body: wanted.body ?? new Uint8Array(), signal };
    if (wanted.pool !== undefined) {
      const reply = await exchange(pools.of(wanted.pool, target), asked);
      if (reply !== 'stale') return reply;
    }
    const connections = pools.single(target);
    try {
      const reply = await exchange(connections, asked);
      if (reply === 'stale') throw new GuardedHttpError('connection', 'The connection was closed');
      return reply;
    } finally {
      void connections.agent.destroy();
    }
  };

  return {
    request: async (wanted) => {
      requireUsable(wanted.url, wanted.allowPlain ?? false);
      wanted.signal?.throwIfAborted();
      const deadline = new AbortController();
      const timedOut = new GuardedHttpError('time_out', `No whole answer within ${wanted.timeoutMs} ms`);
      const timer = setTimeout(() => deadline.abort(timedOut), wanted.timeoutMs);
      const signal = wanted.signal ? AbortSignal.any([deadline.signal, wanted.signal]) : deadline.signal;
      const ended = Promise.withResolvers<never>();
      const onAbort = () => ended.reject(signal.reason);
      signal.addEventListener('abort', onAbort);
      try {
        // DNS cannot be called back: its answer is not waited for past the end.
        return await Promise.race([perform(wanted, signal), ended.promise]);
      } catch (error) {
        if (deadline.signal.aborted) throw timedOut;
        if (wanted.signal?.aborted) throw new GuardedHttpError('aborted', 'The request was called off', error);
        if (error instanceof GuardedHttpError) throw error;
        throw new GuardedHttpError('connection', reasonOf(error), error);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      }
    },
    close: pools.close,
  };
};
