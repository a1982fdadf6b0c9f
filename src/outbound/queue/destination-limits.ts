/**
 * Limits per destination: concurrency, throttling after 4.7.x and 421, exponential back-off, and the memory of broken
 * TLS.
 */

import { type Clock, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';

/** Concurrent sessions with one host. */
const MAX_SESSIONS = 5;
/** A host that throttled gets one session and one mail a second for half an hour. */
const THROTTLED_FOR_MS = 30 * MINUTE;
const THROTTLED_PACE_MS = SECOND;
/**
 * Back-off of a host that is down or closing: 5 s, doubled with each failure, at most 15 min; below any row's own
 * delay.
 */
const FIRST_BACK_OFF_MS = 5 * SECOND;
const LONGEST_BACK_OFF_MS = 15 * MINUTE;
/** After a failed opportunistic handshake. */
const NO_TLS_FOR_MS = 60 * MINUTE;
/** Hosts remembered; those with deliveries in flight are kept beyond it. */
const MAX_HOSTS = 10_000;

/** Spacing of the deliveries that are due after a back-off: at most 50 a second to one host. */
const SPACING_MS: Millis = 20;
/** Beyond it the spacing starts over, so that no delivery is deferred for longer. */
const SPACED_WITHIN_MS = 60 * MINUTE;

/** Deliveries in flight per session: while one has the session, others are signed or have their outcome recorded. */
const IN_FLIGHT_PER_SESSION = 4;

interface HostState {
  /** Deliveries in flight: in a session, or before or after it. */
  inFlight: number;
  sessions: number;
  /** Resolvers of those that wait for a free session. */
  waiting: (() => void)[];
  throttledUntil: Millis;
  backedOffUntil: Millis;
  /** Consecutive failures. */
  failures: number;
  /** Deliveries deferred past this back-off. */
  deferred: number;
  /** While throttled: when the next mail may go. */
  nextAt: Millis;
  noTlsUntil: Millis;
  /** Moving average of an attempt's duration. */
  averageMs: Millis;
}

/** What a reply, or its lack, says of the destination's load: RFC 5321 section 3.8, RFC 3463 section 3.8. */
export type DestinationSignal = 'accepted' | 'rejected' | 'throttled' | 'closing' | 'unreachable';

export const readSignal = (code: number, enhancedCode: string | null): DestinationSignal => {
  if (code < 400) return 'accepted';
  if (code === 421) return 'closing';
  return enhancedCode?.startsWith('4.7.') ? 'throttled' : 'rejected';
};

export class DestinationLimits {
  readonly #clock: Clock;
  /** By host name, in the order of last use. */
  readonly #hosts = new Map<string, HostState>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** When another delivery may start, as of `now`; 0 or past: at once. Null: after one in flight has ended. */
  readyAt(name: string, now: Millis): Millis | null {
    const host = this.#hosts.get(name);
    if (!host) return 0;
    const limit = this.#concurrency(host, now);
    if (host.inFlight >= (limit === 1 ? 1 : limit * IN_FLIGHT_PER_SESSION)) return null;
    return this.#notBefore(host, now);
  }

  isReady(name: string, now: Millis): boolean {
    const at = this.readyAt(name, now);
    return at !== null && at <= now;
  }

  /** Whether back-off or pace forbid a session now, also to deliveries that were in flight before it began. */
  isBackedOff(name: string): boolean {
    const host = this.#hosts.get(name);
    const now = this.#clock.now();
    return host !== undefined && this.#notBefore(host, now) > now;
  }

  /** The due time of one more delivery that is deferred past the back-off, spaced after the one before. */
  timeAfterBackOff(name: string): Millis {
    const host = this.#host(name);
    const offset = host.deferred * (this.#concurrency(host) === 1 ? THROTTLED_PACE_MS : SPACING_MS);
    host.deferred += 1;
    return host.backedOffUntil + (offset % SPACED_WITHIN_MS);
  }

  /** End of the back-off; 0 where there is none. */
  backedOffUntil(name: string): Millis {
    return this.#hosts.get(name)?.backedOffUntil ?? 0;
  }

  /** Estimated duration of so many attempts; 0 where none has been measured. */
  estimate(name: string, attempts: number): Millis {
    const host = this.#hosts.get(name);
    return host ? (attempts * Math.max(host.averageMs, 1)) / this.#concurrency(host) : 0;
  }

  inFlightWith(name: string): number {
    return this.#hosts.get(name)?.inFlight ?? 0;
  }

  /** Begins a back-off that no failure of the host is the cause of, where there is none. */
  holdBack(name: string, ms: Millis): void {
    const host = this.#host(name);
    const now = this.#clock.now();
    if (host.backedOffUntil <= now) Object.assign(host, { backedOffUntil: now + ms, deferred: 0 });
  }

  /** An operator asked for an attempt now: ends the back-off, but keeps the count of failures. */
  resetBackOff(name: string): void {
    const host = this.#hosts.get(name);
    if (host) Object.assign(host, { backedOffUntil: 0, nextAt: 0 });
  }

  begin(name: string): void {
    this.#host(name).inFlight += 1;
  }

  end(name: string): void {
    this.#host(name).inFlight -= 1;
  }

  /** Runs `work` while holding one of the destination's session slots; waits for a free slot. */
  async withSession<T>(name: string, work: () => Promise<T>): Promise<T> {
    const host = this.#host(name);
    while (host.sessions >= this.#concurrency(host)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      host.waiting.push(resolve);
      await promise;
    }
    host.sessions += 1;
    const began = performance.now();
    try {
      return await work();
    } finally {
      const tookMs = performance.now() - began;
      host.sessions -= 1;
      host.averageMs = host.averageMs === 0 ? tookMs : host.averageMs * 0.9 + tookMs * 0.1;
      host.nextAt = this.#clock.now() + THROTTLED_PACE_MS;
      host.waiting.shift()?.();
    }
  }

  record(name: string, signal: DestinationSignal): void {
    const host = this.#host(name);
    const now = this.#clock.now();
    if (signal === 'throttled' || signal === 'closing') host.throttledUntil = now + THROTTLED_FOR_MS;
    if (signal === 'closing' || signal === 'unreachable') {
      // Attempts in flight together fail together: one failure.
      if (host.backedOffUntil > now) return;
      host.backedOffUntil = now + Math.min(FIRST_BACK_OFF_MS * 2 ** host.failures, LONGEST_BACK_OFF_MS);
      host.failures += 1;
      host.deferred = 0;
    } else {
      host.failures = 0;
      host.backedOffUntil = 0;
    }
  }

  recordTlsFailure(name: string): void {
    this.#host(name).noTlsUntil = this.#clock.now() + NO_TLS_FOR_MS;
  }

  /** Whether TLS failed with the host within {@link NO_TLS_FOR_MS}. */
  hasBrokenTls(name: string): boolean {
    return (this.#hosts.get(name)?.noTlsUntil ?? 0) > this.#clock.now();
  }

  #notBefore({ backedOffUntil, throttledUntil, nextAt }: HostState, now: Millis): Millis {
    return Math.max(backedOffUntil, throttledUntil > now ? nextAt : 0);
  }

  #concurrency({ throttledUntil }: HostState, now = this.#clock.now()): number {
    return throttledUntil > now ? 1 : MAX_SESSIONS;
  }

  #host(name: string): HostState {
    const host = this.#hosts.get(name) ?? {
      inFlight: 0,
      sessions: 0,
      waiting: [],
      throttledUntil: 0,
      backedOffUntil: 0,
      failures: 0,
      deferred: 0,
      nextAt: 0,
      noTlsUntil: 0,
      averageMs: 0,
    };
    this.#hosts.delete(name);
    this.#hosts.set(name, host);
    if (this.#hosts.size > MAX_HOSTS) this.#evictOne();
    return host;
  }

  #evictOne(): void {
    for (const [name, { inFlight }] of this.#hosts) {
      if (inFlight > 0) continue;
      this.#hosts.delete(name);
      return;
    }
  }
}
