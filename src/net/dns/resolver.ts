/** Caching DNS resolver with bounded time and coalesced queries. */

import { promises as dns, getServers } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, isAhead, type Millis } from '../../kernel/clock.ts';
import { createSingleFlight } from '../../kernel/single-flight.ts';
import { codeOf } from '../../kernel/text/message-of.ts';

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
 * Sends a query; the answers have the shapes of node:dns. Rejects with a {@link DnsError} with node's code:
 * `ENOTFOUND` (no such name), `ENODATA` (the name has no such record), `ESERVFAIL`, `ETIMEOUT`, `EREFUSED` and so on.
 */
export type Resolve = <T extends RecordType>(name: string, type: T) => Promise<Answers[T]>;

export interface Resolver {
  readonly resolve: Resolve;
}

/** The rejections of node:dns. */
export interface DnsError extends Error {
  readonly code: string;
}

export const isDnsError = (error: unknown): error is DnsError => codeOf(error) !== null;

/** Whether the answer is negative: RFC 8020's NXDOMAIN or RFC 2308's NODATA. */
export const isNoRecord = (error: unknown): boolean =>
  isDnsError(error) && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');

interface CacheOptions {
  readonly maxEntries: number;
  readonly positiveMs: Millis;
  /** For NXDOMAIN and NODATA; failures are not cached. */
  readonly negativeMs: Millis;
}

interface ResolverOptions {
  /** As "127.0.0.1:5353" or "::1"; empty: the system's. */
  readonly servers: readonly string[];
  /** For a query with its repeats and all servers. */
  readonly timeoutMs: Millis;
  readonly cache?: CacheOptions;
  readonly clock: Clock;
}

/** Queries sent together. A server's socket holds some 270, and on one core it reads none while the queue asks for 500. */
const MAX_BURST = 20;
const BURST_PAUSE_MS = 2;

/**
 * Tries per server: so many last longer than a query may. c-ares waits five times as long as answers took lately, 250 ms at
 * least and twice as long with each try, and hears no answer to the try before. A name that is not cached takes seconds.
 */
const TRIES = 6;
/** c-ares rounds small time-outs oddly; a smaller one would expire from scheduling delays of a local server. */
const LEAST_TRY_MS = 100;

/** No server has answered. */
const UNANSWERED = new Set(['ECONNREFUSED', 'ETIMEOUT']);
/** A server does not tell. c-ares takes that for the answer; as in the system's own resolver, the next one is asked. */
const REFUSED = new Set(['ESERVFAIL', 'EREFUSED', 'ENOTIMP']);

/** Resolves at once, or after a pause where {@link MAX_BURST} queries were sent. */
const createPacer = () => {
  let sent = 0;
  let pause: Promise<void> | null = null;
  const resume = (): void => {
    sent = 0;
    pause = null;
  };
  return async (): Promise<void> => {
    while (sent >= MAX_BURST) await pause;
    sent += 1;
    pause ??= sleep(BURST_PAUSE_MS).then(resume);
  };
};

type Outcome =
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: unknown };
type Cached = { readonly outcome: Outcome; readonly until: Millis; readonly lifetime: Millis };

const createCache = (options: CacheOptions | undefined, clock: Clock) => {
  const entries = new BoundedMap<string, Cached>(options?.maxEntries ?? 0);
  return {
    find: (key: string): Outcome | null => {
      const entry = entries.use(key);
      if (!entry) return null;
      if (isAhead(entry.until, clock.now(), entry.lifetime)) return entry.outcome;
      entries.delete(key);
      return null;
    },
    add: (key: string, outcome: Outcome): void => {
      if (!options || (outcome.kind === 'failed' && !isNoRecord(outcome.error))) return;
      const lifetime = outcome.kind === 'failed' ? options.negativeMs : options.positiveMs;
      if (lifetime <= 0) return;
      entries.set(key, { outcome, until: clock.now() + lifetime, lifetime });
    },
  };
};

/** Lists, records and strings: structuredClone takes ten times as long. */
const copyOf = (answer: unknown): unknown => {
  if (Array.isArray(answer)) return answer.map(copyOf);
  return typeof answer === 'object' ? { ...answer } : answer;
};

const unwrap = (outcome: Outcome): unknown => {
  if (outcome.kind === 'failed') throw outcome.error;
  // Callers sort and shift their answers; the cached one stays unchanged.
  return copyOf(outcome.value);
};

const timeoutError = (name: string, type: RecordType): DnsError =>
  Object.assign(new Error(`query${type} ETIMEOUT ${name}`), {
    code: 'ETIMEOUT',
    syscall: `query${type}`,
    hostname: name,
  });

/**
 * Creates a resolver over node:dns.
 * @param options.cache left out: every query is sent
 */
export const createResolver = (options: ResolverOptions): Resolver => {
  const { servers, timeoutMs, cache, clock } = options;
  const rounds = 3 * Math.max(1, servers.length || getServers().length);
  const timeout = Math.max(LEAST_TRY_MS, Math.floor(timeoutMs / rounds));
  const openFor = (order: readonly string[]): dns.Resolver => {
    const opened = new dns.Resolver({ timeout, tries: TRIES });
    if (order.length > 0) opened.setServers(order);
    return opened;
  };
  /** One for each server, which it asks first. */
  const open = (): dns.Resolver[] => {
    const first = openFor(servers);
    const [, ...others] = first.getServers();
    return [first, ...others.map((other) => openFor([other, ...first.getServers().filter((each) => each !== other)]))];
  };
  let resolvers: dns.Resolver[] | null = null;
  const answers = createCache(cache, clock);
  const flight = createSingleFlight<Outcome>();
  const pace = createPacer();

  const ask = async (name: string, type: RecordType): Promise<unknown> => {
    resolvers ??= open();
    const asked = resolvers;
    let failure: unknown;
    for (const resolver of asked) {
      try {
        return await resolver.resolve(name, type);
      } catch (error) {
        failure = error;
        if (!REFUSED.has(codeOf(error) ?? '')) break;
      }
    }
    // The system may have other servers by then: a resolver reads them once.
    if (UNANSWERED.has(codeOf(failure) ?? '') && resolvers === asked) resolvers = null;
    throw failure;
  };

  const query = async (name: string, type: RecordType): Promise<Outcome> => {
    await pace();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(timeoutError(name, type)), timeoutMs);
    try {
      return { kind: 'answer', value: await Promise.race([ask(name, type), late]) };
    } catch (error) {
      return { kind: 'failed', error };
    } finally {
      clearTimeout(timer);
    }
  };

  const resolve = async (name: string, type: RecordType): Promise<unknown> => {
    const key = `${type} ${name.toLowerCase().replace(/\.$/, '')}`;
    const cached = answers.find(key);
    if (cached) return unwrap(cached);
    const outcome = await flight.run(key, async () => {
      const answer = await query(name, type);
      answers.add(key, answer);
      return answer;
    });
    return unwrap(outcome);
  };
  // node:dns infers the answer's type only for a literal record type.
  return { resolve: resolve as Resolve };
};
