/**
 * Outward HTTP requests to URLs that others chose. The host is resolved once and every address checked
 * (outward-address.ts); the connection goes to a checked address and to no other, while TLS is verified against the
 * name. No redirect is followed. Time and bytes are bounded.
 */

import type { LookupAddress } from 'node:dns';
import http, { type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import type { Millis } from '../../kernel/clock.ts';
import { type CheckedAddressNeeds, findCheckedAddresses, hostOf } from './checked-address.ts';
import { createConnectionPool } from './connection-pool.ts';

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
  /** Requests of one pool share kept connections, and with nobody else. Left out: a connection of its own. */
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

/** A request that got no answer. The message is safe to show to whoever chose the URL. */
export class GuardedHttpError extends Error {
  override readonly name = 'OutwardError';
  readonly fault: GuardedFault;
  /** Node's own code where there is one, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  readonly code: string | null;

  constructor(fault: GuardedFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
  }
}

/** @throws OutwardError where there is no whole answer; every status of HTTP is an answer */
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

/** RFC 9110 section 15.2 sets no bound to 1xx responses; each is work for us. */
const MAX_INTERIM = 8;

const requireUsable = (url: URL, allowPlain: boolean): void => {
  if (url.protocol !== 'https:' && !(allowPlain && url.protocol === 'http:')) {
    throw new GuardedHttpError('url', `${url.protocol} is not reached`);
  }
  if (url.username !== '' || url.password !== '') throw new GuardedHttpError('url', 'The URL carries credentials');
};

/** Gives the addresses that were checked, whatever name is asked for: DNS has no second say. */
const pinnedTo = (addresses: readonly string[]): LookupFunction => {
  const found: LookupAddress[] = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_name, { all }, callback) => {
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
};

const readBody = async (response: IncomingMessage, maximum: number): Promise<{ body: Buffer; truncated: boolean }> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop destroys the response, and its connection with it.
    if (size > maximum) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maximum), truncated: size > maximum };
};

interface Exchange {
  options: RequestOptions & { url: URL };
  body: Uint8Array;
  maximum: number;
  signal: AbortSignal;
}

/** One exchange on one connection. `stale` where a kept connection had been closed by its peer before it answered. */
const exchange = ({
  options: { url, ...options },
  body,
  maximum,
  signal,
}: Exchange): Promise<GuardedResponse | 'stale'> =>
  new Promise((resolve, reject) => {
    const { request: open } = url.protocol === 'https:' ? https : http;
    let isAnswered = false;
    const request = open(url, { ...options, signal }, (response) => {
      isAnswered = true;
      readBody(response, maximum).then(
        (read) => resolve({ status: response.statusCode ?? 0, headers: response.headers, ...read }),
        reject,
      );
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const wasClosed = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      if (wasClosed && !isAnswered && !signal.aborted) resolve('stale');
      else reject(error);
    });
    let interim = 0;
    request.on('information', () => {
      if (++interim > MAX_INTERIM) request.destroy(new Error('Interim responses without an end'));
    });
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('The answer changes to another protocol'));
    });
    request.end(body);
  });

const reasonOf = (error: unknown): string => {
  // Happy Eyeballs gathers the failures of all addresses in one error without a text.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
};

export const createGuardedHttp = ({ extraCa, ...needs }: GuardedHttpNeeds): GuardedHttp => {
  const connections = createConnectionPool();
  // Made once: to read all authorities anew for every connection costs more than its handshake.
  const secureContext = extraCa && createSecureContext({ ca: [...getCACertificates('default'), extraCa] });

  const perform = async (wanted: GuardedRequest, signal: AbortSignal): Promise<GuardedResponse> => {
    const { url, method, headers = {}, body = new Uint8Array(), maxResponseBytes: maximum, pool } = wanted;
    const found = await findCheckedAddresses(needs, url);
    if (found.kind === 'private') {
      // Not which: what the names of our own network stand for is not told to whoever asks.
      throw new GuardedHttpError('private_address', `${hostOf(url)} leads to a private address`);
    }
    if (found.kind === 'unknown') throw new GuardedHttpError('dns', found.reason);
    signal.throwIfAborted();
    const target = [url.protocol, url.host, ...found.addresses.toSorted()].join(' ');
    const host = hostOf(url);
    const options = {
      url,
      method,
      headers: { ...headers, ...(method === 'POST' && { 'content-length': String(body.length) }) },
      lookup: pinnedTo(found.addresses),
      // RFC 6066 section 3: an address is no server name. Set, so that no Host header can choose it.
      servername: isIP(host) === 0 ? host : '',
      ...(secureContext && { secureContext }),
    };
    const agent = pool === undefined ? false : connections.agentOf(pool, target, url.protocol);
    const reply = await exchange({ options: { ...options, agent }, body, maximum, signal });
    if (reply !== 'stale') return reply;
    const again = await exchange({ options: { ...options, agent: false }, body, maximum, signal });
    if (again === 'stale') throw new GuardedHttpError('connection', 'The connection was closed');
    return again;
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
    close: connections.close,
  };
};
