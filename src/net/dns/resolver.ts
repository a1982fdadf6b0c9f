/** DNS questions: bounded in time, asked once at a time, remembered for a while. */

import { promises as dns, getServers } from 'node:dns';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Clock, Millis } from '../../kernel/clock.ts';
import { createSingleFlight } from '../../kernel/single-flight.ts';

export interface MxRecord {
  readonly exchange: string;
  readonly priority: number;
}

interface Answers {
  A: string[];
  AAAA: string[];
  CNAME: string[];
  MX: MxRecord[];
  NS: string[];
  PTR: string[];
  /** Each record is the list of its strings. */
  TXT: string[][];
}

export type RecordType = keyof Answers;

/**
 * Asks a question; the shapes are those of node:dns. Rejects with a {@link DnsError} whose code is node's: `ENOTFOUND`
 * (no such name), `ENODATA` (the name has no such record), `ESERVFAIL`, `ETIMEOUT`, `EREFUSED` and so on.
 */
export type Resolve = <T extends RecordType>(name: string, type: T) => Promise<Answers[T]>;

export interface Resolver {
  readonly resolve: Resolve;
}

/** What node:dns rejects with. */
export interface DnsError extends Error {
  readonly code: string;
}

export const isDnsError = (error: unknown): error is DnsError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';

/** Whether the answer was that there is no such record: RFC 8020's NXDOMAIN or RFC 2308's NODATA. */
export const isNoRecord = (error: unknown): boolean =>
  isDnsError(error) && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');

interface CacheOptions {
  readonly maxEntries: number;
  readonly positiveMs: Millis;
  /** For NXDOMAIN and NODATA; a failure is never remembered. */
  readonly negativeMs: Millis;
}

interface ResolverOptions {
  /** As "127.0.0.1:5353" or "::1"; empty: the system's. */
  readonly servers: readonly string[];
  /** For a whole question, its repeats and all servers included. */
  readonly timeoutMs: Millis;
  readonly cache?: CacheOptions;
  readonly clock: Clock;
}

/** How often a question goes to each server: UDP loses packets. c-ares waits twice as long the second time. */
const TRIES = 2;
/** c-ares rounds small time-outs oddly; below this a local server's scheduling would count as its silence. */
const LEAST_TRY_MS = 100;

type Settled = { readonly value: unknown } | { readonly error: unknown };
type Cached = { readonly settled: Settled; readonly until: Millis };

const createCache = (options: CacheOptions | undefined, clock: Clock) => {
  const entries = new BoundedMap<string, Cached>(options?.maxEntries ?? 0);
  return {
    find: (key: string): Settled | null => {
      const entry = entries.use(key);
      if (!entry) return null;
      if (entry.until > clock.now()) return entry.settled;
      entries.delete(key);
      return null;
    },
    add: (key: string, settled: Settled): void => {
      if (!options || ('error' in settled && !isNoRecord(settled.error))) return;
      const lasts = 'error' in settled ? options.negativeMs : options.positiveMs;
      if (lasts <= 0) return;
      entries.set(key, { settled, until: clock.now() + lasts });
    },
  };
};

const unwrap = (settled: Settled): unknown => {
  if ('error' in settled) throw settled.error;
  // Callers sort and shift what they get; what is remembered stays as it came.
  return structuredClone(settled.value);
};

const timeoutError = (name: string, type: RecordType): DnsError =>
  Object.assign(new Error(`query${type} ETIMEOUT ${name}`), {
    code: 'ETIMEOUT',
    syscall: `query${type}`,
    hostname: name,
  });

/**
 * A resolver over node:dns.
 * @param options.cache left out: every question is asked
 */
export const createResolver = (options: ResolverOptions): Resolver => {
  const { servers, timeoutMs, cache, clock } = options;
  const rounds = 3 * Math.max(1, servers.length || getServers().length);
  const resolver = new dns.Resolver({ timeout: Math.max(LEAST_TRY_MS, Math.floor(timeoutMs / rounds)), tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  const answers = createCache(cache, clock);
  const flight = createSingleFlight<Settled>();

  const ask = async (name: string, type: RecordType): Promise<Settled> => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(timeoutError(name, type)), timeoutMs);
    try {
      return { value: await Promise.race([resolver.resolve(name, type), late]) };
    } catch (error) {
      return { error };
    } finally {
      clearTimeout(timer);
    }
  };

  const resolve = async (name: string, type: RecordType): Promise<unknown> => {
    const key = `${type} ${name.toLowerCase().replace(/\.$/, '')}`;
    const cached = answers.find(key);
    if (cached) return unwrap(cached);
    const settled = await flight.run(key, async () => {
      const answer = await ask(name, type);
      answers.add(key, answer);
      return answer;
    });
    return unwrap(settled);
  };
  // node:dns types an answer by its question only where the type is a literal.
  return { resolve: resolve as Resolve };
};
