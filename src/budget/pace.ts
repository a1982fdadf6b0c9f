/** The least speed of what a client sends or takes in: memory that is held for it is not held for ever. */

import { type Millis, SECOND } from '../kernel/clock.ts';

export interface PaceLimits {
  readonly leastBytesPerSecond: number;
  /** The time over which the speed is measured. */
  readonly windowSeconds: number;
}

/**
 * Looks once a window at how far the transfer has come. A window's worth of bytes at the least speed is free, so that a
 * small message may pause as long as its protocol allows: it occupies next to nothing.
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
