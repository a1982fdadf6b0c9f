/** An SMTP client that says what a test tells it to, byte by byte, from whichever address of this machine. */

import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { WAIT_LIMIT_MS } from '../wait-limit.ts';

export interface RawSmtpOptions {
  readonly port: number;
  readonly localAddress?: string;
  /** TLS from the first byte. */
  readonly implicitTls?: boolean;
  readonly tls?: tls.ConnectionOptions;
}

export class RawSmtp implements AsyncDisposable {
  #socket: net.Socket;
  #text = '';
  #ended = false;
  #wake = () => {};
  readonly #options: RawSmtpOptions;

  private constructor(socket: net.Socket, options: RawSmtpOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#listen(socket);
  }

  /** Connects; the greeting is the first reply. */
  static async connect(options: RawSmtpOptions): Promise<RawSmtp> {
    const { port, localAddress, implicitTls } = options;
    const target = { host: '127.0.0.1', port, ...(localAddress !== undefined && { localAddress }) };
    const socket = net.connect(target);
    await once(socket, 'connect');
    const client = new RawSmtp(socket, options);
    if (implicitTls) await client.startTls();
    return client;
  }

  get socket(): net.Socket {
    return this.#socket;
  }

  /** The cipher's names and the server's certificate, once TLS is on. */
  get session(): { protocol: string | null; fingerprint: string } {
    if (!(this.#socket instanceof tls.TLSSocket)) throw new Error('No TLS.');
    return { protocol: this.#socket.getProtocol(), fingerprint: this.#socket.getPeerCertificate().fingerprint256 };
  }

  write(bytes: string | Buffer): void {
    this.#socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** The next reply, all its lines; '' at the end of the connection. */
  async reply(timeoutMs = WAIT_LIMIT_MS): Promise<string> {
    for (;;) {
      const whole = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(this.#text)?.[0];
      if (whole) this.#text = this.#text.slice(whole.length);
      if (whole || this.#ended) return (whole ?? '').trimEnd();
      await this.#more(timeoutMs);
    }
  }

  command(line: string): Promise<string> {
    this.write(`${line}\r\n`);
    return this.reply();
  }

  /** Resolves with what comes until the server ends the connection. */
  async rest(timeoutMs = WAIT_LIMIT_MS): Promise<string> {
    while (!this.#ended) await this.#more(timeoutMs);
    return this.#text;
  }

  async startTls(): Promise<void> {
    for (const event of ['data', 'end', 'close', 'error']) this.#socket.removeAllListeners(event);
    const secured = tls.connect({ socket: this.#socket, rejectUnauthorized: false, ...this.#options.tls });
    await once(secured, 'secureConnect');
    this.#socket = secured;
    this.#listen(secured);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
  }

  #listen(socket: net.Socket): void {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.#text += text;
      this.#wake();
    });
    for (const event of ['end', 'close', 'error'] as const) {
      socket.on(event, () => {
        this.#ended = true;
        this.#wake();
      });
    }
  }

  async #more(timeoutMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`Nothing for ${timeoutMs} ms, after: ${this.#text}`)), timeoutMs);
    this.#wake = resolve;
    await promise.finally(() => clearTimeout(timer));
  }
}
