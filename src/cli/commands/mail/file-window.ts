/** Reads a file of any size through a window. */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { asCaller } from '../../../kernel/files/caller-rights.ts';
import type { ByteSource } from '../../../mail/mbox/byte-source.ts';

/** Windows begin at multiples of it, so that small steps back stay within one. */
const BLOCK = 1024 * 1024;
const WINDOW = 4 * BLOCK;

export class FileWindow implements ByteSource {
  readonly size: number;
  readonly modifiedAt: number;
  readonly #file: number;
  #window: Buffer = Buffer.alloc(0);
  #at = 0;

  /** @throws Error with a system code, or ENOTSUP for anything but a file. Does not wait for a pipe. */
  constructor(path: string, followsLink: boolean) {
    const how = constants.O_RDONLY | constants.O_NONBLOCK | (followsLink ? 0 : constants.O_NOFOLLOW);
    this.#file = asCaller(() => openSync(path, how));
    const stat = fstatSync(this.#file);
    if (!stat.isFile()) {
      this.close();
      throw Object.assign(new Error(`${path} is no file`), { code: 'ENOTSUP' });
    }
    this.size = stat.size;
    this.modifiedAt = Math.max(Math.floor(stat.mtimeMs), 0);
  }

  read(offset: number, length: number): Buffer {
    const wanted = Math.max(Math.min(length, this.size - offset), 0);
    if (wanted > WINDOW - BLOCK) return this.readAlone(offset, wanted);
    const isWithin = offset >= this.#at && offset + wanted <= this.#at + this.#window.length;
    if (!isWithin) {
      this.#at = Math.floor(offset / BLOCK) * BLOCK;
      const room = Buffer.allocUnsafe(Math.min(WINDOW, this.size - this.#at));
      this.#window = this.#load(room, this.#at);
    }
    return this.#window.subarray(offset - this.#at, offset - this.#at + wanted);
  }

  /** Reads outside of the window, for scattered parts. */
  readAlone(offset: number, length: number): Buffer {
    return this.#load(Buffer.allocUnsafe(Math.max(Math.min(length, this.size - offset), 0)), offset);
  }

  #load(into: Buffer, offset: number): Buffer {
    let done = 0;
    while (done < into.length) {
      const count = readSync(this.#file, into, done, into.length - done, offset + done);
      // The file was truncated meanwhile.
      if (count === 0) break;
      done += count;
    }
    return into.subarray(0, done);
  }

  close(): void {
    closeSync(this.#file);
  }
}
