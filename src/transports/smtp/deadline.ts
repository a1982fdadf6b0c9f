/** A time that something has. It is absolute: only setting it anew gives more. */

import { SECOND } from '../../kernel/clock.ts';

export class Deadline {
  readonly #onEnd: () => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  set(seconds: number): void {
    this.clear();
    this.#timer = setTimeout(this.#onEnd, seconds * SECOND).unref();
  }

  /** Begins anew with the time that was set last. Cheap, for what happens with every packet. */
  refresh(): void {
    this.#timer?.refresh();
  }

  clear(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
