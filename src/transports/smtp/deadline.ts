/** A deadline. It is absolute: only `set` and `refresh` extend it. */

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

  /** Restarts with the seconds that were set last. Cheap enough to call for every packet. */
  refresh(): void {
    this.#timer?.refresh();
  }

  clear(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
