/**
 * The content of DATA as it comes in: the dots taken off (RFC 5321 section 4.5.2), the bounds kept, its end found. Only
 * CRLF ends a line and only CRLF.CRLF the message, wherever the client's packets are cut. The work is linear in the
 * bytes, and of a message that will be refused nothing is kept.
 */

import { SmtpError } from '../../kernel/errors.ts';
import type { Reservation } from './traffic.ts';

export interface IntakeLimits {
  readonly messageBytes: number;
  readonly lineBytes: number;
  readonly headerBytes: number;
}

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

/** Where in a line the last byte stood. */
const LINE_START = 0;
const IN_LINE = 1;
const AFTER_CR = 2;
/** Behind a dot that began a line: it belongs to the transfer, not to the message. */
const AFTER_DOT = 3;
const AFTER_DOT_CR = 4;

/** Most mail fits the first block; the larger ones keep a big message in few pieces. */
const FIRST_BLOCK = 8 * 1024;
const LARGEST_BLOCK = 256 * 1024;
const SHORT_RUN = 64;

export class MessageIntake {
  readonly #limits: IntakeLimits;
  readonly #reservation: Reservation;
  #state = LINE_START;
  #lineBytes = 0;
  #inHeader = true;
  #bytes = 0;
  #fault: SmtpError | null = null;
  #full: Buffer[] = [];
  #block: Buffer = Buffer.alloc(0);
  #used = 0;
  #allocated = 0;

  constructor(limits: IntakeLimits, reservation: Reservation) {
    this.#limits = limits;
    this.#reservation = reservation;
  }

  /** Why the message is refused, once its end has come; null where it is taken. */
  get fault(): SmtpError | null {
    return this.#fault;
  }

  /** @returns where the terminator ends in the chunk, or -1 where the message goes on */
  feed(chunk: Buffer): number {
    let state = this.#state;
    let lineStart = -this.#lineBytes;
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (state === AFTER_CR || state === AFTER_DOT_CR) {
        if (byte === LF) {
          if (state === AFTER_DOT_CR) {
            this.#checkHeader(0);
            return at + 1;
          }
          this.#endLine(at + 1 - lineStart, at + 1 - from);
          state = LINE_START;
          lineStart = at + 1;
          continue;
        }
        this.#refuse(bareLineEnd);
        state = IN_LINE;
      }
      if (byte === CR) {
        // A CR behind the dot is held back: it is the terminator's, or bare, and then nothing is kept at all.
        if (state === AFTER_DOT) from = at + 1;
        state = state === AFTER_DOT ? AFTER_DOT_CR : AFTER_CR;
      } else if (byte === LF) {
        this.#refuse(bareLineEnd);
        state = IN_LINE;
      } else if (byte === DOT && state === LINE_START) {
        this.#keep(chunk, from, at);
        from = at + 1;
        lineStart = at + 1;
        state = AFTER_DOT;
      } else {
        state = IN_LINE;
        // Most bytes are none of the above: they are passed over without looking at the state.
        while (at + 1 < chunk.length && chunk[at + 1] !== CR && chunk[at + 1] !== LF) at++;
      }
    }
    this.#keep(chunk, from, chunk.length);
    this.#state = state;
    this.#lineBytes = chunk.length - lineStart;
    if (this.#lineBytes > this.#limits.lineBytes) this.#refuse(lineTooLong(this.#limits));
    this.#checkHeader(0);
    return -1;
  }

  /** The message, once; empty where it is refused. */
  take(): Buffer {
    const last = this.#block.subarray(0, this.#used);
    const message = this.#full.length === 0 ? last : Buffer.concat([...this.#full, last], this.#bytes);
    this.#drop();
    return message;
  }

  /** @param unkept bytes up to the line's end that are still to be kept */
  #endLine(length: number, unkept: number): void {
    if (length > this.#limits.lineBytes) this.#refuse(lineTooLong(this.#limits));
    if (length !== 2) return;
    this.#checkHeader(unkept);
    this.#inHeader = false;
  }

  #checkHeader(unkept: number): void {
    if (!this.#inHeader || this.#bytes + unkept <= this.#limits.headerBytes) return;
    this.#refuse(headerTooLong(this.#limits));
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    if (this.#fault || from >= to) return;
    this.#bytes += to - from;
    if (this.#bytes > this.#limits.messageBytes) this.#refuse(messageTooLong(this.#limits));
    for (let at = from; at < to && !this.#fault; ) {
      const full = this.#used === this.#block.length ? this.#addBlock() : null;
      if (full) {
        this.#refuse(() => full);
        return;
      }
      const end = Math.min(to, at + this.#block.length - this.#used);
      this.#copy(chunk, at, end);
      at = end;
    }
  }

  /** Lines that begin with dots come in runs of a few bytes, for which a call into native code would cost more. */
  #copy(chunk: Buffer, from: number, to: number): void {
    if (to - from > SHORT_RUN) chunk.copy(this.#block, this.#used, from, to);
    else for (let at = from; at < to; at++) this.#block[this.#used + at - from] = chunk[at] as number;
    this.#used += to - from;
  }

  /** @returns why there is no room for it; null where there is */
  #addBlock(): SmtpError | null {
    const wanted = Math.min(Math.max(FIRST_BLOCK, 2 * this.#block.length), LARGEST_BLOCK);
    const size = Math.min(wanted, this.#limits.messageBytes - this.#allocated);
    const full = this.#reservation.grow(size);
    if (full) return full;
    this.#allocated += size;
    if (this.#used > 0) this.#full.push(this.#block);
    // A block of its own, not a slice of Node's pool: what goes to a worker is copied with all of its memory.
    this.#block = Buffer.allocUnsafeSlow(size);
    this.#used = 0;
    return null;
  }

  #refuse(fault: () => SmtpError): void {
    if (this.#fault) return;
    this.#fault = fault();
    this.#drop();
    this.#reservation.release();
  }

  #drop(): void {
    this.#full = [];
    this.#block = Buffer.alloc(0);
    this.#used = 0;
  }
}

const bareLineEnd = () => new SmtpError({ code: 550, enhanced: '5.6.11', text: 'A bare CR or LF in the message' });
const messageTooLong =
  ({ messageBytes }: IntakeLimits) =>
  () =>
    new SmtpError({ code: 552, enhanced: '5.3.4', text: `The message is larger than ${messageBytes} bytes` });
const lineTooLong =
  ({ lineBytes }: IntakeLimits) =>
  () =>
    new SmtpError({ code: 550, enhanced: '5.6.0', text: `A line of the message is longer than ${lineBytes} bytes` });
const headerTooLong =
  ({ headerBytes }: IntakeLimits) =>
  () =>
    new SmtpError({ code: 552, enhanced: '5.3.4', text: `The header is longer than ${headerBytes} bytes` });
