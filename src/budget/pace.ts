/** Enforces a minimum transfer rate, so that slow clients do not hold memory indefinitely. */

import { type Millis, SECOND } from '../kernel/clock.ts';

export interface PaceLimits {
  readonly leastBytesPerSecond: number;
  /** Interval of measurement. */
  readonly windowSeconds: number;
  /**
   * Those that may take any time. By default what passes at the minimum rate in one window: a small message may pause as
   * long as its protocol allows, because it uses next to no memory.
   */
  readonly exemptBytes?: number;
}

/** Measures the transfer once per window. */
export class Pace {
  readonly #windowMs: Millis;
  readonly #leastBytes: number;
  readonly #exemptBytes: number;
  readonly #transferred: () => number;
  readonly #onSlow: () => void;
  #timer: NodeJS.Timeout | null = null;
  #before = 0;

  /** @param transferred octets so far */
  constructor(limits: PaceLimits, transferred: () => number, onSlow: () => void) {
    this.#windowMs = limits.windowSeconds * SECOND;
    this.#leastBytes = limits.leastBytesPerSecond * limits.windowSeconds;
    this.#exemptBytes = limits.exemptBytes ?? this.#leastBytes;
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
    const isSlow = total > this.#exemptBytes && total - this.#before < this.#leastBytes;
    this.#before = total;
    if (!isSlow) return;
    this.stop();
    this.#onSlow();
  }
}
