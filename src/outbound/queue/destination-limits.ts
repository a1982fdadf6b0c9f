/** How much each host is asked at a time, and when next: what it said of that, and what became of our attempts. */

import { type Clock, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';

/** Sessions with one host at a time. */
const MAX_SESSIONS = 5;
/** After "too much" a host gets one session, and no more than a mail a second, for so long. */
const SLOW_FOR_MS = 30 * MINUTE;
const SLOW_PACE_MS = SECOND;
/** A host that is down or closes is left alone for so long, then twice that, and so on. Less than any row's own delay. */
const FIRST_PAUSE_MS = 5 * SECOND;
const LONGEST_PAUSE_MS = 15 * MINUTE;
/** An opportunistic handshake that failed is not tried again for so long. */
const NO_TLS_FOR_MS = 60 * MINUTE;
/** Hosts that are remembered without anything under way. */
const MAX_REMEMBERED = 10_000;

/** What waits behind a pause comes back one by one: no host takes more than so many a second, and most take fewer. */
const SLOT_MS: Millis = 20;
/** Beyond this they share their places, so that nothing is put off for longer. */
const SLOTS_WITHIN_MS = 60 * MINUTE;

/** Deliveries with a host that are signed or written down while others have its sessions. */
const IN_HAND_PER_SESSION = 4;

interface Host {
  /** Deliveries that have been begun, in a session or on either side of one. */
  begun: number;
  sessions: number;
  /** Those that wait for a session to end. */
  waiting: (() => void)[];
  slowUntil: Millis;
  pausedUntil: Millis;
  /** In a row. */
  failures: number;
  /** Places behind this pause that are taken. */
  slots: number;
  /** With a slow host: when the next mail may go. */
  nextAt: Millis;
  noTlsUntil: Millis;
  /** What an attempt takes, as the last ones had it. */
  usualMs: Millis;
}

/** What a host's reply, or its lack, says of how it wants to be treated. RFC 5321 section 3.8, RFC 3463 section 3.8. */
export type DestinationSignal = 'taken' | 'refused' | 'too-much' | 'closing' | 'unreachable';

export const readSignal = (code: number, enhancedCode: string | null): DestinationSignal => {
  if (code < 400) return 'taken';
  if (code === 421) return 'closing';
  return enhancedCode?.startsWith('4.7.') ? 'too-much' : 'refused';
};

export class DestinationLimits {
  readonly #clock: Clock;
  /** In the order of their last use. */
  readonly #hosts = new Map<string, Host>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** When another delivery may be begun; now or earlier: at once. Null: once one has ended. */
  nextTime(name: string, now: Millis): Millis | null {
    const host = this.#hosts.get(name);
    if (!host) return 0;
    const limit = this.#limit(host, now);
    if (host.begun >= (limit === 1 ? 1 : limit * IN_HAND_PER_SESSION)) return null;
    return this.#heldBackUntil(host, now);
  }

  isReady(name: string, now: Millis): boolean {
    const at = this.nextTime(name, now);
    return at !== null && at <= now;
  }

  /** Whether the host is to be left alone for now, also by what was begun before it said so. */
  isBackedOff(name: string): boolean {
    const host = this.#hosts.get(name);
    const now = this.#clock.now();
    return host !== undefined && this.#heldBackUntil(host, now) > now;
  }

  /** When a delivery that goes back to the store comes again: each a moment after the one before. */
  timeAfterBackOff(name: string): Millis {
    const host = this.#host(name);
    const slot = host.slots * (this.#limit(host) === 1 ? SLOW_PACE_MS : SLOT_MS);
    host.slots += 1;
    return host.pausedUntil + (slot % SLOTS_WITHIN_MS);
  }

  /** Until when the host is left alone. */
  pausedUntil(name: string): Millis {
    return this.#hosts.get(name)?.pausedUntil ?? 0;
  }

  /** How long so many attempts will take, as far as is known. */
  timeFor(name: string, attempts: number): Millis {
    const host = this.#hosts.get(name);
    return host ? (attempts * Math.max(host.usualMs, 1)) / this.#limit(host) : 0;
  }

  inFlightWith(name: string): number {
    return this.#hosts.get(name)?.begun ?? 0;
  }

  /** Somebody who should know wants the host asked now. */
  resetBackOff(name: string): void {
    const host = this.#hosts.get(name);
    if (host) Object.assign(host, { pausedUntil: 0, nextAt: 0 });
  }

  begin(name: string): void {
    this.#host(name).begun += 1;
  }

  end(name: string): void {
    this.#host(name).begun -= 1;
  }

  /** Has a session with the host for as long as `work` takes, once there is one. */
  async withSession<T>(name: string, work: () => Promise<T>): Promise<T> {
    const host = this.#host(name);
    while (host.sessions >= this.#limit(host)) {
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
      host.usualMs = host.usualMs === 0 ? tookMs : host.usualMs * 0.9 + tookMs * 0.1;
      host.nextAt = this.#clock.now() + SLOW_PACE_MS;
      host.waiting.shift()?.();
    }
  }

  note(name: string, sign: DestinationSignal): void {
    const host = this.#host(name);
    const now = this.#clock.now();
    if (sign === 'too-much' || sign === 'closing') host.slowUntil = now + SLOW_FOR_MS;
    if (sign === 'closing' || sign === 'unreachable') {
      // Attempts that were under way together fail together, and are one failure.
      if (host.pausedUntil > now) return;
      host.pausedUntil = now + Math.min(FIRST_PAUSE_MS * 2 ** host.failures, LONGEST_PAUSE_MS);
      host.failures += 1;
      host.slots = 0;
    } else {
      host.failures = 0;
      host.pausedUntil = 0;
    }
  }

  recordTlsFailure(name: string): void {
    this.#host(name).noTlsUntil = this.#clock.now() + NO_TLS_FOR_MS;
  }

  /** Whether TLS failed with the host a short while ago. */
  hasBrokenTls(name: string): boolean {
    return (this.#hosts.get(name)?.noTlsUntil ?? 0) > this.#clock.now();
  }

  #heldBackUntil({ pausedUntil, slowUntil, nextAt }: Host, now: Millis): Millis {
    return Math.max(pausedUntil, slowUntil > now ? nextAt : 0);
  }

  #limit({ slowUntil }: Host, now = this.#clock.now()): number {
    return slowUntil > now ? 1 : MAX_SESSIONS;
  }

  #host(name: string): Host {
    const host = this.#hosts.get(name) ?? {
      begun: 0,
      sessions: 0,
      waiting: [],
      slowUntil: 0,
      pausedUntil: 0,
      failures: 0,
      slots: 0,
      nextAt: 0,
      noTlsUntil: 0,
      usualMs: 0,
    };
    this.#hosts.delete(name);
    this.#hosts.set(name, host);
    if (this.#hosts.size > MAX_REMEMBERED) this.#forgetOne();
    return host;
  }

  #forgetOne(): void {
    for (const [name, { begun }] of this.#hosts) {
      if (begun > 0) continue;
      this.#hosts.delete(name);
      return;
    }
  }
}
