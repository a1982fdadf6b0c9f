/** Enforces a minimum transfer rate, so that slow clients do not hold memory indefinitely. */

import { type Millis, SECOND } from '../kernel/clock.ts';

export interface PaceLimits {
  readonly leastBytesPerSecond: number;
  /** Interval of measurement. */
  readonly windowSeconds: number;
}

/**
 * Measures the transfer once per window. The bytes of one window at the minimum rate are exempt, so that a small
 * message may pause as long as its protocol allows: it uses next to no memory.
 */
export class Pace {
  readonly #windowMs: Millis;
  readonly #leastBytes: number;
  readonly #transferred: () => number;
  readonly #onSlow: () => void;
  #timer: NodeJS.Timeout | null = null;
  #before = 0;

  /** @param transferred octets so far */
  constructor({ leastBytesPerSecond, windowSeconds }: PaceLimits, transferred: () => number, onSlow: () => void) {
    this.#windowMs = windowSeconds * SECOND;
    this.#leastBytes = leastBytesPerSecond * windowSeconds;
    this.#transferred = transferred;
    this.#onSlow = onSlow;
  }

  start(): void {
    this.stop();
    this.#before = 0;
    this.#timer = setInterval(() => this.#look(), this.#windowMs).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    const total = this.#transferred();
    const isSlow = total > this.#leastBytes && total - this.#before < this.#leastBytes;
    this.#before = total;
    if (!isSlow) return;
    this.stop();
    this.#onSlow();
  }
}
