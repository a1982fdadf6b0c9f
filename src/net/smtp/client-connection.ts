/** One connection of an SMTP client: writes bytes and reads replies, each with a time-out. Independent of commands. */

import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { type Millis, SECOND } from '../../kernel/clock.ts';
import { parseReply, type SmtpReply } from './smtp-reply.ts';

/** Larger than any legitimate reply; bounds the memory that a hostile host can use. */
const MAX_REPLY_BYTES = 64 * 1024;
/** Replies that no command has read: a pipelined group has 4. A hostile host sends them while it is sent the message. */
const MAX_UNREAD_REPLIES = 16;

export interface Dial {
  /** An IP address. */
  readonly address: string;
  readonly port: number;
  /** The local IP address; left out: the system's choice. */
  readonly localAddress?: string | undefined;
}

const timeoutError = (timeoutMs: Millis): Error => new Error(`No answer within ${timeoutMs / SECOND} s`);

export class SmtpConnection {
  #socket: net.Socket;
  #text = '';
  #lines: string[] = [];
  #size = 0;
  /** Complete replies that no caller has read yet. */
  readonly #replies: string[] = [];
  #failure: Error | null = null;
  #wake: (() => void) | null = null;
  readonly #onReply: (text: string) => void;

  /** @param onReply called with each reply verbatim */
  private constructor(socket: net.Socket, onReply: (text: string) => void) {
    this.#socket = socket;
    this.#onReply = onReply;
    this.#listen();
  }

  /** @throws without a connection within `timeoutMs` */
  static async connect(dial: Dial, timeoutMs: Millis, onReply: (text: string) => void): Promise<SmtpConnection> {
    const { address, port, localAddress } = dial;
    const socket = net.connect({ host: address, port, ...(localAddress !== undefined && { localAddress }) });
    const timer = setTimeout(() => socket.destroy(new Error('Connection timed out')), timeoutMs);
    await once(socket, 'connect').finally(() => clearTimeout(timer));
    socket.setNoDelay(true);
    return new SmtpConnection(socket, onReply);
  }

  /** Whether the connection is writable. An unsolicited reply, such as a final 421, ends that too. */
  get isIdleAndOpen(): boolean {
    return this.#failure === null && this.#replies.length === 0 && this.#text === '' && this.#lines.length === 0;
  }

  get socket(): net.Socket {
    return this.#socket;
  }

  write(data: string | Uint8Array): void {
    if (this.#failure === null) this.#socket.write(data);
  }

  /**
   * Writes, and waits until the socket's buffer has drained.
   * @returns the refusal with which the host closed, as some do in the middle of a message; null where it took the block
   */
  async writeBlock(block: Uint8Array, timeoutMs: Millis): Promise<SmtpReply | null> {
    try {
      await this.#writeAll(block, timeoutMs);
      return null;
    } catch (error) {
      const reply = await this.readReply(0).catch(() => null);
      if (reply === null || reply.code < 400) throw error;
      return reply;
    }
  }

  async #writeAll(block: Uint8Array, timeoutMs: Millis): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#socket.write(block)) return;
    const drained = Promise.withResolvers<void>();
    const onDrain = () => drained.resolve();
    const onClose = () => drained.reject(this.#failure ?? new Error('Connection closed'));
    const timer = setTimeout(() => drained.reject(timeoutError(timeoutMs)), timeoutMs);
    this.#socket.once('drain', onDrain).once('close', onClose);
    try {
      await drained.promise;
    } finally {
      clearTimeout(timer);
      this.#socket.off('drain', onDrain).off('close', onClose);
    }
  }

  /**
   * Reads the next reply.
   * @param success the class that the command succeeds with (RFC 5321 section 4.3.2): another says that commands and
   *   replies no longer match. Left out: any
   * @throws on time-out, on the end of the connection, and for an invalid reply
   */
  async readReply(timeoutMs: Millis, success?: 2 | 3): Promise<SmtpReply> {
    const until = performance.now() + timeoutMs;
    while (this.#replies.length === 0) {
      if (this.#failure) throw this.#failure;
      const left = until - performance.now();
      if (left <= 0) throw timeoutError(timeoutMs);
      await this.#change(left);
    }
    const text = this.#replies.shift() ?? '';
    const reply = parseReply(text);
    if (!reply) throw new Error(`Not an SMTP reply: ${text.slice(0, 100)}`);
    const isInPlace = success === undefined || reply.code >= 400 || Math.floor(reply.code / 100) === success;
    if (!isInPlace) throw new Error(`A reply out of place: ${text.slice(0, 100)}`);
    return reply;
  }

  /**
   * Upgrades to TLS. Discards all input from before (RFC 3207 section 4.2).
   * @throws where the handshake fails or exceeds `timeoutMs`
   */
  async startTls(options: tls.ConnectionOptions, timeoutMs: Millis): Promise<tls.TLSSocket> {
    const plain = this.#socket;
    plain.removeAllListeners('data');
    const secured = tls.connect({ ...options, socket: plain });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const fail = (error?: Error) => reject(error ?? new Error('The connection closed during the TLS handshake'));
    const timer = setTimeout(() => fail(timeoutError(timeoutMs)), timeoutMs);
    const closed = () => fail();
    secured.once('error', fail).once('close', closed).once('secureConnect', resolve);
    try {
      await promise;
    } catch (error) {
      secured.on('error', () => undefined);
      secured.destroy();
      this.#fail(error as Error);
      throw error;
    } finally {
      clearTimeout(timer);
      secured.off('error', fail).off('close', closed);
    }
    this.#text = '';
    this.#lines = [];
    this.#replies.length = 0;
    this.#socket = secured;
    this.#listen();
    return secured;
  }

  /** Closes at once, in any state. */
  close(): void {
    this.#fail(new Error('Connection closed'));
    this.#socket.destroy();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('end', () => this.#fail(new Error('The host closed the connection')));
    socket.on('close', () => this.#fail(new Error('The connection closed')));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#wake?.();
  }

  async #change(withinMs: Millis): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    this.#wake = resolve;
    await promise;
    this.#wake = null;
    clearTimeout(timer);
  }

  #take(chunk: Buffer): void {
    this.#size += chunk.length;
    const isLong = this.#size > MAX_REPLY_BYTES;
    if (isLong || this.#replies.length > MAX_UNREAD_REPLIES) {
      this.#socket.destroy();
      this.#fail(new Error(isLong ? `A reply of more than ${MAX_REPLY_BYTES} bytes` : 'Replies to no command'));
      return;
    }
    const rows = (this.#text + chunk.toString('utf8')).split('\n');
    this.#text = rows.pop() ?? '';
    for (const row of rows) {
      const line = row.endsWith('\r') ? row.slice(0, -1) : row;
      this.#lines.push(line);
      // Every line except a continuation ends a reply; an invalid line becomes an invalid reply.
      if (/^\d{3}-/.test(line)) continue;
      const text = this.#lines.join('\n');
      this.#lines = [];
      this.#size = 0;
      this.#onReply(text);
      this.#replies.push(text);
    }
    if (this.#replies.length > 0) this.#wake?.();
  }
}
