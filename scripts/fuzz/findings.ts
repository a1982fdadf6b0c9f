/** What was found, each kind once, with the bytes that showed it. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type FindingKind = 'crash' | 'fault' | 'hang' | '5xx' | 'canary' | 'slow' | 'leak';

export interface Input {
  /** `smtp 12` or `rest 40`: with the seed, the input can be made again. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** Inputs that ran shortly before: what breaks a daemon need not be what it was last sent. */
const KEPT_INPUTS = 40;

export class Findings {
  readonly #directory: string;
  readonly #seen = new Map<string, number>();
  readonly #recent: Input[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  get count(): number {
    return this.#seen.size;
  }

  recordAnswer(input: Input): void {
    this.#recent.push(input);
    if (this.#recent.length > KEPT_INPUTS) this.#recent.shift();
  }

  /** @param input what showed it; left out, all that ran shortly before is kept */
  add(kind: FindingKind, what: string, input?: Input): void {
    const times = this.#seen.get(`${kind} ${what}`) ?? 0;
    this.#seen.set(`${kind} ${what}`, times + 1);
    if (times > 0) return;
    const folder = join(this.#directory, `${String(this.count).padStart(3, '0')}-${kind}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'what.txt'), `${kind}: ${what}\n`);
    for (const { name, bytes } of input ? [input] : this.#recent)
      writeFileSync(join(folder, `${name.replace(' ', '-')}.bin`), bytes);
    console.error(`FOUND ${kind}: ${what}\n      ${folder}`);
  }

  *[Symbol.iterator](): IterableIterator<{ what: string; times: number }> {
    for (const [what, times] of this.#seen) yield { what, times };
  }
}
