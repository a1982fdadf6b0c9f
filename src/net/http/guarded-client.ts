/**
 * Guarded HTTP client for untrusted URLs. Resolves the host once and checks every address (checked-address.ts);
 * connects to a checked address only, and verifies TLS against the name. Follows no redirect. Bounds time and bytes.
 */

import { type Millis, SECOND } from '../../kernel/clock.ts';
import { codeOf } from '../../kernel/text/message-of.ts';
import { trustAlso } from '../tls/authorities.ts';
import { errorText } from '../tls/error-text.ts';
import { readBoundedBody } from './bounded-body.ts';
import { type CheckedAddressNeeds, findCheckedAddresses, toSocketHost } from './checked-address.ts';
import type { ConnectionPools, Connections } from './connection-pool.ts';

export interface GuardedRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** For the whole exchange: DNS, connection, TLS, request and the last byte of the response. */
  readonly timeoutMs: Millis;
  /** A longer response is truncated and its connection closed. */
  readonly maxResponseBytes: number;
  readonly signal?: AbortSignal;
  /** Requests of one pool share kept connections with no other pool. Left out: a connection of its own. */
  readonly pool?: string;
  /** Whether a response is complete with its header: where its body breaks off, or does not end in time, it is empty. */
  readonly isHeaderEnough?: boolean;
  /** Permits `http:` as well; left out, only `https:`. */
  readonly allowPlain?: boolean;
}

export interface GuardedResponse {
  readonly status: number;
  /** By lower-case names; the values of a repeated one are joined by commas (RFC 9110 section 5.3). */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** Whether the response exceeded `maxResponseBytes`. */
  readonly truncated: boolean;
}

export type GuardedFault = 'url' | 'private_address' | 'dns' | 'time_out' | 'connection' | 'aborted';

/** A request without a complete response. The message is safe to show to the caller that chose the URL. */
export class GuardedHttpError extends Error {
  override readonly name = 'GuardedHttpError';
  readonly fault: GuardedFault;
  /** Node's own code where there is one, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  readonly code: string | null;

  constructor(fault: GuardedFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
    this.code = codeOf(cause);
  }
}

/** @throws GuardedHttpError without a complete response; every HTTP status is a response */
export type SendGuarded = (request: GuardedRequest) => Promise<GuardedResponse>;

export interface GuardedHttp {
  request: SendGuarded;
  /** Closes kept connections; open requests reject. */
  close(): void;
}

interface GuardedHttpNeeds extends CheckedAddressNeeds {
  /** PEM of certificate authorities that are trusted in addition to the default ones; null without any. */
  extraCa: string | null;
}

/** Per connection; a request's own deadline may end it earlier. */
const CONNECT_MS = 30 * SECOND;
/** RFC 9110 section 15.2 sets no bound on 1xx responses, each of which costs work. */
const MAX_INTERIM = 8;

const requireUsable = (url: URL, allowPlain: boolean): void => {
  if (url.protocol !== 'https:' && !(allowPlain && url.protocol === 'http:')) {
    throw new GuardedHttpError('url', `${url.protocol} is not reached`);
  }
  if (url.username !== '' || url.password !== '') throw new GuardedHttpError('url', 'The URL carries credentials');
};

/** Firewalls refuse a request without either, as those of Azure and of cPanel do by OWASP's rules. */
const DEFAULTS = { 'user-agent': 'Postroom', accept: '*/*' };

const withDefaults = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  return { ...Object.fromEntries(Object.entries(DEFAULTS).filter(([name]) => !given.has(name))), ...headers };
};

/** Codes for a connection that the peer closed. */
const CLOSED: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

type Header = Pick<GuardedResponse, 'status' | 'headers'>;

interface Exchange extends Pick<GuardedRequest, 'url' | 'method' | 'headers' | 'maxResponseBytes'> {
  body: Uint8Array;
  signal: AbortSignal;
  onHeader: (header: Header) => void;
}

/** Runs one exchange; `stale` where the peer had closed a kept connection before it responded. */
const exchange = async (
  connections: Connections,
  { url, method, headers = {}, body, maxResponseBytes, signal, onHeader }: Exchange,
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
      headers: withDefaults(headers),
      ...(method === 'POST' && { body }),
      signal: AbortSignal.any([signal, interimEnd.signal]),
      // The caller's deadline covers the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
      onInfo: () => {
        if (++interim > MAX_INTERIM) interimEnd.abort(new Error('Interim responses without an end'));
      },
    });
    isAnswered = true;
    const fields = Object.entries(response.headers).map(
      ([name, value]) => [name, value === undefined ? value : [value].flat().join(', ')] as const,
    );
    const header = { status: response.statusCode, headers: Object.fromEntries(fields) };
    onHeader(header);
    return { ...header, ...(await readBoundedBody(response.body, maxResponseBytes)) };
  } catch (error) {
    const code = codeOf(error);
    const wasKept = connections.made === madeBefore;
    if (wasKept && CLOSED.has(code) && !isAnswered && interim === 0 && !signal.aborted) return 'stale';
    throw error;
  }
};

const readReason = (error: unknown): string => {
  // Happy Eyeballs collects the failures of all addresses in one AggregateError without a message.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return errorText(first);
};

export const createGuardedHttp = ({ extraCa, ...needs }: GuardedHttpNeeds): GuardedHttp => {
  const secureContext = extraCa ? trustAlso(extraCa) : null;
  let pools: ConnectionPools | null = null;
  /** Loads undici with the first request: it takes 6 MiB. */
  const openPools = async (): Promise<ConnectionPools> => {
    const { createConnectionPools } = await import('./connection-pool.ts');
    pools ??= createConnectionPools(secureContext, CONNECT_MS);
    return pools;
  };

  const perform = async (
    { of, single }: ConnectionPools,
    input: GuardedRequest,
    { signal, onHeader }: Pick<Exchange, 'signal' | 'onHeader'>,
  ): Promise<GuardedResponse> => {
    const { url } = input;
    const found = await findCheckedAddresses(needs, url);
    if (found.kind === 'private') {
      // The message omits the address, which would disclose names of the instance's network.
      throw new GuardedHttpError('private_address', `${toSocketHost(url)} leads to a private address`);
    }
    if (found.kind === 'unknown') throw new GuardedHttpError('dns', found.reason);
    signal.throwIfAborted();
    const destination = {
      protocol: url.protocol,
      host: url.host,
      hostname: toSocketHost(url),
      addresses: found.addresses,
    };
    const outgoing = { ...input, body: input.body ?? new Uint8Array(), signal, onHeader };
    if (input.pool !== undefined) {
      const reply = await exchange(of(input.pool, destination), outgoing);
      if (reply !== 'stale') return reply;
    }
    const connections = single(destination);
    try {
      const reply = await exchange(connections, outgoing);
      if (reply === 'stale') throw new GuardedHttpError('connection', 'The connection was closed');
      return reply;
    } finally {
      void connections.agent.destroy();
    }
  };

  return {
    request: async (input) => {
      requireUsable(input.url, input.allowPlain ?? false);
      const open = pools ?? (await openPools());
      input.signal?.throwIfAborted();
      const deadline = new AbortController();
      const timedOut = new GuardedHttpError('time_out', `No whole answer within ${input.timeoutMs} ms`);
      const timer = setTimeout(() => deadline.abort(timedOut), input.timeoutMs);
      const signal = input.signal ? AbortSignal.any([deadline.signal, input.signal]) : deadline.signal;
      const ended = Promise.withResolvers<never>();
      const onAbort = () => ended.reject(signal.reason);
      signal.addEventListener('abort', onAbort);
      let answered = null as Header | null;
      const onHeader: Exchange['onHeader'] = (header) => {
        answered = header;
      };
      try {
        // A DNS query cannot be aborted: its answer is ignored after the deadline.
        return await Promise.race([perform(open, input, { signal, onHeader }), ended.promise]);
      } catch (error) {
        if (answered !== null && input.isHeaderEnough && !input.signal?.aborted) {
          return { ...answered, body: Buffer.alloc(0), truncated: true };
        }
        if (deadline.signal.aborted) throw timedOut;
        if (input.signal?.aborted) throw new GuardedHttpError('aborted', 'The request was called off', error);
        if (error instanceof GuardedHttpError) throw error;
        throw new GuardedHttpError('connection', readReason(error), error);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      }
    },
    close: () => pools?.close(),
  };
};
