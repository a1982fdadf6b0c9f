/**
 * Splits a client's input into command lines and messages, in place of the library's own reader. That one accepts a bare
 * LF as the end of a line, runs a last line without CRLF, and returns to the event loop for every leading dot.
 */

import { PassThrough } from 'node:stream';
import type { SMTPServerDataStream } from 'smtp-server';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import type { SmtpError } from '../../kernel/errors.ts';
import type { DataReader } from './data-reader.ts';
import type { Step } from './smtp-library.ts';

const CR = 0x0d;
const LF = 0x0a;

/** Commands of one packet that run before the event loop turns. */
const COMMANDS_AT_ONCE = 100;

export type LineFault = 'bare-line-end' | 'too-long';

export interface InputHooks {
  readonly maxCommandBytes: number;
  /** Whether the greeting has been sent; octets before it are refused. */
  isGreeted(): boolean;
  onEarlyBytes(): void;
  /** Called for a malformed line; nothing after it is read. */
  onLineFault(fault: LineFault): void;
  startMessage(): DataReader;
  onMessageBytes(count: number): void;
  /** Called at the terminator; input after it is read once the reply is sent. */
  onMessageEnd(): void;
}

export class InputStream extends SMTPStream {
  readonly #hooks: InputHooks;
  /** The line read so far, without its CRLF. */
  #partial: Buffer = Buffer.alloc(0);
  #reader: DataReader | null = null;
  /** Takes the message that is being read; null between messages. */
  #message: SMTPServerDataStream | null = null;
  /** Reads on after the message, once it is answered. */
  #readOn: Step = () => {};

  constructor(hooks: InputHooks) {
    super();
    this.#hooks = hooks;
  }

  /** Why the last message is refused; null where it is accepted. */
  get fault(): SmtpError | null {
    return this.#reader?.fault ?? null;
  }

  /** Whether a message is being read, not commands. */
  get isInData(): boolean {
    return this.#message !== null;
  }

  override startDataMode(): SMTPServerDataStream {
    this.#reader = this.#hooks.startMessage();
    this.#message = Object.assign(new PassThrough(), { byteLength: 0, sizeExceeded: false });
    return this.#message;
  }

  /** The library calls it when it has answered a message. */
  override continue(): void {
    this.#readOn();
  }

  /** Node's method for one packet of the socket. */
  override _write(chunk: Buffer, _encoding: BufferEncoding | 'buffer', next: Step): void {
    if (this.isClosed || chunk.length === 0) next();
    else if (!this.#hooks.isGreeted()) this.#hooks.onEarlyBytes();
    else if (this.#message) this.#readMessage(this.#message, chunk, next);
    else this.#readCommands(chunk, next);
  }

  #readMessage(message: SMTPServerDataStream, chunk: Buffer, next: Step): void {
    this.#hooks.onMessageBytes(chunk.length);
    const end = this.#reader?.feed(chunk) ?? -1;
    if (end < 0) {
      next();
      return;
    }
    this.#hooks.onMessageEnd();
    this.#message = null;
    this.#readOn = () => this._write(chunk.subarray(end), 'buffer', next);
    message.end(this.#reader?.take());
  }

  #readCommands(chunk: Buffer, next: Step): void {
    let at = 0;
    let answered = 0;
    let isRunning = false;
    let isAnswered = false;
    // A command may be answered before oncommand returns: a loop bounds the depth of the stack.
    const run = (): void => {
      isAnswered = true;
      if (isRunning) return;
      isRunning = true;
      try {
        while (isAnswered) {
          isAnswered = false;
          const line = this.isClosed || this.isInData ? null : this.#readLine(chunk, at);
          if (line === null) this.#leaveCommands(chunk.subarray(at), next);
          else if (typeof line === 'string') this.#hooks.onLineFault(line);
          else {
            at = line.end;
            this.oncommand(line.text, step);
          }
        }
      } finally {
        isRunning = false;
      }
    };
    // An answer in a microtask, as RCPT has it, gives the loop no turn either.
    const step = (): void => {
      answered += 1;
      if (answered % COMMANDS_AT_ONCE === 0) setImmediate(run);
      else run();
    };
    run();
  }

  /** Reads the rest of the packet as a message where DATA has begun; else the packet is consumed. */
  #leaveCommands(rest: Buffer, next: Step): void {
    if (this.isInData) this._write(rest, 'buffer', next);
    else next();
  }

  /** Reads the line that begins at `start`; returns null where its CRLF is missing, and keeps the partial line. */
  #readLine(chunk: Buffer, start: number): { text: Buffer; end: number } | LineFault | null {
    const held = this.#partial;
    let previous = held.at(-1);
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at];
      const isEnd = byte === LF;
      if (isEnd !== (previous === CR)) return 'bare-line-end';
      if (held.length + at - start > this.#hooks.maxCommandBytes) return 'too-long';
      if (isEnd) {
        this.#partial = Buffer.alloc(0);
        return { text: Buffer.concat([held, chunk.subarray(start, at + 1)]).subarray(0, -2), end: at + 1 };
      }
      previous = byte;
    }
    this.#partial = Buffer.concat([held, chunk.subarray(start)]);
    return null;
  }
}
