/** Fetches one document: follows redirects one by one, each through the guarded client; bounds every answer. */

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { normalizeUrl, onSite } from '../../documents/links.ts';
import type { Clock, Millis } from '../../kernel/clock.ts';
import { GuardedHttpError, type GuardedResponse, type SendGuarded } from '../../net/http/guarded-client.ts';
import { readRetryAfter } from '../../net/http/retry-after.ts';
import type { KnowledgeLimits } from '../knowledge-limits.ts';
import type { HostRate } from './host-rate.ts';

const unzip = promisify(gunzip);

export const UNPARSED = { kind: 'unreadable', reason: 'it could not be parsed' } as const;

export interface Fetching {
  request: SendGuarded;
  rate: HostRate;
  limits: KnowledgeLimits;
  clock: Clock;
  userAgent: string;
  /** Aborts with the daemon's stop. */
  signal: AbortSignal;
}

export interface FetchOptions {
  /** Validators of the stored copy (RFC 9110 section 13). */
  etag?: string | null;
  lastModified?: string | null;
  /** Between requests to this host. */
  intervalMs: Millis;
  /** Whether the caller has waited for its turn at the host; a redirect always waits. */
  isPaced?: boolean;
  /** The reason not to follow a redirect to this URL; null: it is followed. */
  refuseRedirect(url: string): Promise<string | null>;
}

export interface FetchedDocument {
  kind: 'document';
  /** After redirects. */
  url: string;
  octets: Buffer;
  mediaType: string;
  charset: string | null;
  etag: string | null;
  lastModified: string | null;
  robots: string | null;
}

type Answered =
  | FetchedDocument
  | { kind: 'unchanged' }
  /** The server reports that it does not exist (404, 410). */
  | { kind: 'gone'; reason: string }
  /** It may not be read (any other 4xx). */
  | { kind: 'refused'; reason: string }
  /** There were too many requests (429): the host wants none for that time. */
  | { kind: 'later'; reason: string; afterMs: Millis }
  | { kind: 'failed'; reason: string };

export type Fetched = Answered & {
  /** Octets of all answers, redirects included, before they were unpacked. */
  transferred: number;
};

const headerOf = ({ headers }: GuardedResponse, name: string): string | null => {
  const text = headers[name];
  return text === undefined || text.length > 1_000 ? null : text;
};

const failed = (reason: string): Answered => ({ kind: 'failed', reason });

const MIME = /^\s*([\w.+-]+\/[\w.+-]+)\s*(?:;|$)/;
const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i;

/** @throws where it is not gzip, or unpacks to more than the limit */
const unpack = async (response: GuardedResponse, most: number): Promise<Buffer | null> => {
  const encoding = headerOf(response, 'content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return response.body;
  if (encoding === 'gzip' || encoding === 'x-gzip') return unzip(response.body, { maxOutputLength: most });
  return null;
};

/** Cloudflare's answer to clients other than browsers. */
const CHALLENGE =
  ' with a test that only browsers pass. Who runs the site can exempt Postroom from it in Cloudflare, by its User-Agent or address';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const readResponse = async (
  response: GuardedResponse,
  url: string,
  { limits, clock }: Pick<Fetching, 'limits' | 'clock'>,
): Promise<Answered> => {
  const { pageOctets, pauseMs, maxPauseMs } = limits;
  const { status, truncated } = response;
  if (status === 304) return { kind: 'unchanged' };
  const isChallenge = headerOf(response, 'cf-mitigated') === 'challenge';
  const reason = `the server answered ${status}${isChallenge ? CHALLENGE : ''}`;
  if (status === 404 || status === 410) return { kind: 'gone', reason };
  if (status === 429) {
    const asked = readRetryAfter(status, headerOf(response, 'retry-after'), clock.now(), maxPauseMs);
    return { kind: 'later', reason, afterMs: asked ?? pauseMs };
  }
  if (status >= 400 && status < 500) return { kind: 'refused', reason };
  if (status !== 200) return failed(reason);
  if (truncated) return failed(`larger than ${pageOctets} octets`);
  const octets = await unpack(response, pageOctets).catch(() => null);
  if (octets === null) return failed('in an encoding that is not read, or too large unpacked');
  const type = headerOf(response, 'content-type') ?? '';
  return {
    kind: 'document',
    url,
    octets,
    mediaType: MIME.exec(type)?.[1]?.toLowerCase() ?? '',
    charset: CHARSET.exec(type)?.[1] ?? null,
    etag: headerOf(response, 'etag'),
    lastModified: headerOf(response, 'last-modified'),
    robots: headerOf(response, 'x-robots-tag'),
  };
};

/** @throws the signal's reason where the daemon stops */
export const fetchDocument = async (fetching: Fetching, start: string, options: FetchOptions): Promise<Fetched> => {
  const { request, rate, limits, userAgent, signal } = fetching;
  let url = start;
  let transferred = 0;
  const ended = (answered: Answered): Fetched => ({ ...answered, transferred });
  for (let hop = 0; ; hop += 1) {
    if (hop > 0 || options.isPaced !== true) await rate.take(new URL(url).host, options.intervalMs, signal);
    let response: GuardedResponse;
    try {
      response = await request({
        url: new URL(url),
        method: 'GET',
        allowPlain: true,
        timeoutMs: limits.fetchMs,
        maxResponseBytes: limits.pageOctets,
        signal,
        headers: {
          'user-agent': userAgent,
          accept: 'text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf;q=0.9, */*;q=0.1',
          'accept-encoding': 'gzip',
          ...(options.etag && { 'if-none-match': options.etag }),
          ...(options.lastModified && { 'if-modified-since': options.lastModified }),
        },
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof GuardedHttpError)) throw error;
      return ended(failed(error.message));
    }
    transferred += response.body.length;
    const location = REDIRECTS.has(response.status) ? headerOf(response, 'location') : null;
    if (location === null) return ended(await readResponse(response, url, fetching));
    if (hop >= limits.redirects) return ended(failed(`more than ${limits.redirects} redirects`));
    const named = URL.canParse(location, url) ? normalizeUrl(new URL(location, url).href) : null;
    if (named === null) return ended(failed('redirected to no usable URL'));
    // A server behind a proxy that ends TLS often names http, from which the proxy leads back.
    const secure = url.startsWith('https:') ? onSite(named, url) : null;
    const next = secure === null || secure === url ? named : secure;
    const refusal = await options.refuseRedirect(next);
    if (refusal !== null) return ended(failed(refusal));
    url = next;
  }
};
