/**
 * What a client sends, cut into command lines and messages. In place of the library's own reading, which takes a bare
 * LF for the end of a line, runs a last line that never ended, and comes back to the event loop for every dot.
 */

import type { SMTPServerDataStream } from 'smtp-server';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import type { SmtpError } from '../../kernel/errors.ts';
import type { MessageIntake } from './data-reader.ts';

const CR = 0x0d;
const LF = 0x0a;

/** Commands of one packet that run before others get the loop. */
const COMMANDS_AT_ONCE = 100;

export type LineFault = 'bare-line-end' | 'too-long';

export interface InputHooks {
  readonly maxCommandBytes: number;
  /** Whether the greeting is out; before it, any byte is one too many. */
  isGreeted(): boolean;
  onEarlyBytes(): void;
  /** The line cannot be read; nothing after it is. */
  onLineFault(fault: LineFault): void;
  startMessage(): MessageIntake;
  onMessageBytes(count: number): void;
  /** The terminator has come; what the client sends next waits for the reply. */
  onMessageEnd(): void;
  /** The message is answered, and it is the client's turn again. */
  onMessageAnswered(): void;
}

type Next = (error?: Error | null) => void;

export class InputStream extends SMTPStream {
  readonly #hooks: InputHooks;
  /** A line whose end has not come. */
  #partial: Buffer = Buffer.alloc(0);
  #intake: MessageIntake | null = null;

  constructor(hooks: InputHooks) {
    super();
    this.#hooks = hooks;
  }

  /** Why the message that came last is refused; null where it is taken. */
  get fault(): SmtpError | null {
    return this.#intake?.fault ?? null;
  }

  override startDataMode(maxBytes?: number | string | null): SMTPServerDataStream {
    this.#intake = this.#hooks.startMessage();
    return super.startDataMode(maxBytes);
  }

  override continue(): void {
    this.#hooks.onMessageAnswered();
    super.continue();
  }

  /** A line that never ended is no command. */
  override _flushData(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding | 'buffer', next: Next): void {
    if (this.isClosed || chunk.length === 0) next();
    else if (!this.#hooks.isGreeted()) this.#hooks.onEarlyBytes();
    else if (this._dataMode) this.#readMessage(chunk, next);
    else this.#readCommands(chunk, next);
  }

  #readMessage(chunk: Buffer, next: Next): void {
    this.#hooks.onMessageBytes(chunk.length);
    const end = this.#intake?.feed(chunk) ?? -1;
    if (end < 0) {
      next();
      return;
    }
    this.#hooks.onMessageEnd();
    this._endDataMode(this.#intake?.take() ?? false, chunk.subarray(end), next);
  }

  #readCommands(chunk: Buffer, next: Next): void {
    let at = 0;
    let dispatched = 0;
    let isRunning = false;
    let isAnswered = false;
    // A command may be answered before oncommand returns: a loop, so that many of them need no deep stack.
    const step = (): void => {
      isAnswered = true;
      if (isRunning) return;
      isRunning = true;
      try {
        while (isAnswered) {
          isAnswered = false;
          const line = this.isClosed || this._dataMode ? null : this.#readLine(chunk, at);
          if (line === null) this.#leaveCommands(chunk.subarray(at), next);
          else if (typeof line === 'string') this.#hooks.onLineFault(line);
          else {
            at = line.end;
            this.oncommand(line.text, step);
          }
          if (isAnswered && ++dispatched % COMMANDS_AT_ONCE === 0) {
            setImmediate(step);
            return;
          }
        }
      } finally {
        isRunning = false;
      }
    };
    step();
  }

  /** A message begins with the rest of a packet; else the packet is read, and its last line kept where it has no end. */
  #leaveCommands(rest: Buffer, next: Next): void {
    if (this._dataMode) this._write(rest, 'buffer', next);
    else next();
  }

  /** The line that begins here; null where its end is still to come, which keeps what there is of it. */
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
