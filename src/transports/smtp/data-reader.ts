/**
 * Reads the content of DATA: removes the dots of transparency (RFC 5321 section 4.5.2), applies the size bounds, finds
 * the terminator. Only CRLF ends a line and only CRLF.CRLF the message, wherever packets are split. Runs in time linear
 * in the bytes; keeps nothing of a message that is refused.
 */

import { SmtpError } from '../../kernel/errors.ts';
import type { Reservation } from './client-limits.ts';

export interface DataLimits {
  readonly messageBytes: number;
  readonly lineBytes: number;
  readonly headerBytes: number;
}

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

/** Position of the last byte in its line. */
const LINE_START = 0;
const IN_LINE = 1;
const AFTER_CR = 2;
/** After a dot that began a line: the dot belongs to the transfer, not to the message. */
const AFTER_DOT = 3;
const AFTER_DOT_CR = 4;

/** Bytes. Most mail fits the first block; larger blocks keep a big message in few pieces. */
const FIRST_BLOCK = 8 * 1024;
const LARGEST_BLOCK = 256 * 1024;
const SHORT_RUN = 64;

export class DataReader {
  readonly #limits: DataLimits;
  readonly #reservation: Reservation;
  #state = LINE_START;
  #lineBytes = 0;
  #inHeader = true;
  #bytes = 0;
  #fault: SmtpError | null = null;
  #fullBlocks: Buffer[] = [];
  #block: Buffer = Buffer.alloc(0);
  #used = 0;
  #allocated = 0;

  constructor(limits: DataLimits, reservation: Reservation) {
    this.#limits = limits;
    this.#reservation = reservation;
  }

  /** Why the message is refused, final at its terminator; null where it is accepted. */
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
        // A CR after the dot is not kept: it is the terminator's, or bare, in which case the message is refused.
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
        // Most bytes are none of the above: they are skipped without reading the state.
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

  /** Returns the message and frees it here; empty where it is refused or already taken. */
  take(): Buffer {
    const last = this.#block.subarray(0, this.#used);
    const message = this.#fullBlocks.length === 0 ? last : Buffer.concat([...this.#fullBlocks, last], this.#bytes);
    this.#drop();
    return message;
  }

  /** @param unkept bytes up to the line's end that have not been copied yet */
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
      const refusal = this.#used === this.#block.length ? this.#addBlock() : null;
      if (refusal) {
        this.#refuse(() => refusal);
        return;
      }
      const end = Math.min(to, at + this.#block.length - this.#used);
      this.#copy(chunk, at, end);
      at = end;
    }
  }

  /** Copies runs of up to 64 bytes, as lines with leading dots make them, without the cost of a native call. */
  #copy(chunk: Buffer, from: number, to: number): void {
    if (to - from > SHORT_RUN) chunk.copy(this.#block, this.#used, from, to);
    else for (let at = from; at < to; at++) this.#block[this.#used + at - from] = chunk[at] as number;
    this.#used += to - from;
  }

  /** @returns why the budget refuses the memory; null where it is reserved */
  #addBlock(): SmtpError | null {
    const wanted = Math.min(Math.max(FIRST_BLOCK, 2 * this.#block.length), LARGEST_BLOCK);
    const size = Math.min(wanted, this.#limits.messageBytes - this.#allocated);
    const refusal = this.#reservation.grow(size);
    if (refusal) return refusal;
    this.#allocated += size;
    if (this.#used > 0) this.#fullBlocks.push(this.#block);
    // A separate allocation, not a slice of Node's pool: posting to a worker copies the whole underlying memory.
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
    this.#fullBlocks = [];
    this.#block = Buffer.alloc(0);
    this.#used = 0;
  }
}

const bareLineEnd = () => new SmtpError({ code: 550, enhanced: '5.6.11', text: 'A bare CR or LF in the message' });
const messageTooLong =
  ({ messageBytes }: DataLimits) =>
  () =>
    new SmtpError({ code: 552, enhanced: '5.3.4', text: `The message is larger than ${messageBytes} bytes` });
const lineTooLong =
  ({ lineBytes }: DataLimits) =>
  () =>
    new SmtpError({ code: 550, enhanced: '5.6.0', text: `A line of the message is longer than ${lineBytes} bytes` });
const headerTooLong =
  ({ headerBytes }: DataLimits) =>
  () =>
    new SmtpError({ code: 552, enhanced: '5.3.4', text: `The header is longer than ${headerBytes} bytes` });
