/**
 * smtp-server's private members. Every underscored member that Postroom reads, calls or overrides is touched in this
 * file alone, under a name of its own; {@link assertLibraryMembers} fails at start where a version lacks one.
 */

import { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';

export type ConnectionSocket = Socket | TLSSocket;
export type ParsedPath = ReturnType<SMTPConnection['_parseAddressCommand']>;
export type Step = () => void;
export type Next = (error?: Error | null) => void;

/** A client's octets as they are read from its socket. */
export abstract class LibraryStream extends SMTPStream {
  /** Whether a message is being read, not commands. */
  get isInData(): boolean {
    return this._dataMode;
  }

  /** Reads one packet and calls `next` for the one after it. */
  protected abstract consume(chunk: Buffer, next: Next): void;

  /**
   * Ends the message and returns to commands once it is answered.
   * @param message false where it is empty
   * @param rest octets after the terminator
   */
  protected endData(message: Buffer | false, rest: Buffer, next: Next): void {
    this._endDataMode(message, rest, next);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding | 'buffer', next: Next): void {
    this.consume(chunk, next);
  }

  /** The library runs a last line without CRLF as a command; here it is dropped. */
  override _flushData(): void {}
}

export abstract class LibraryConnection extends SMTPConnection {
  /** Called by the base's constructor, before the fields of a subclass exist. */
  protected abstract createInput(): LibraryStream;
  protected abstract readPath(command: 'MAIL FROM' | 'RCPT TO', line: Buffer): ParsedPath;
  /** @returns whether the command has been refused, with a reply sent */
  protected abstract refusesParameters(path: Exclude<ParsedPath, false>, isMail: boolean): boolean;
  protected abstract onGreeted(): void;
  protected abstract onCommand(): void;
  /** Called once per command, when its reply is written and the next command is read. */
  protected abstract onReplied(): void;
  /** Called when the socket has closed, before the library's own clean-up. */
  protected abstract onClosed(): void;

  /** Whether a message of this connection is being received or processed. */
  get hasMessage(): boolean {
    return Boolean(this._dataStream);
  }

  protected get server(): SMTPServer {
    return this._server;
  }

  protected get socket(): ConnectionSocket {
    return this._socket;
  }

  /** False once the socket is closed. */
  protected get input(): SMTPStream | false {
    return this._parser;
  }

  protected get isInData(): boolean {
    return this._parser ? this._parser._dataMode : false;
  }

  protected get isGreeted(): boolean {
    return this._ready;
  }

  /** Whether a STARTTLS handshake is in progress. */
  protected get isUpgrading(): boolean {
    return this._upgrading;
  }

  protected get isEnding(): boolean {
    return this._closing || this._closed;
  }

  /** Reads the socket's events without a greeting, so that the connection can be refused. */
  protected listenToSocket(callback: Step): void {
    this._setListeners(callback);
  }

  override _createParser(): SMTPStream {
    const input = this.createInput();
    input.oncommand = (command, callback) => this._onCommand(command, callback);
    input.on('error', () => this.send(421, '4.3.0 A fault here, please try again later'));
    return input;
  }

  override _sendGreeting(): void {
    super._sendGreeting();
    this.onGreeted();
  }

  override _onCommand(command: Buffer, callback?: Step): void {
    this.onCommand();
    super._onCommand(command, callback);
  }

  override _whenWritable(next: Step): void {
    this.onReplied();
    super._whenWritable(next);
  }

  /** Deadlines replace the socket's idle timeout, which any octet restarts. */
  override _armTimeout(): void {}

  override _onClose(): void {
    this.onClosed();
    super._onClose();
  }

  override _parseAddressCommand(name: string, line: Buffer | string): ParsedPath {
    return this.readPath(name === 'mail from' ? 'MAIL FROM' : 'RCPT TO', Buffer.from(line));
  }

  override _rejectInvalidParams(path: Exclude<ParsedPath, false>, keys: string[], callback: Step): boolean {
    if (!this.refusesParameters(path, keys.includes('SIZE'))) return super._rejectInvalidParams(path, keys, callback);
    callback();
    return true;
  }
}

/** An accepted socket whose PROXY header or TLS handshake is still to come. */
export interface PendingSocket {
  readonly remoteAddress: string;
  readonly isProxy: boolean;
  destroy(): void;
}

export abstract class LibraryServer extends SMTPServer {
  /** @returns what releases the socket again, on close or once its session begins; null refuses the socket */
  protected abstract acceptPending(pending: PendingSocket): (() => void) | null;

  protected reportError(error: Error): void {
    this.emit('error', error);
  }

  override _acceptSocket(socket: Socket, handshake: boolean): (() => void) | false {
    const release = super._acceptSocket(socket, handshake);
    if (!release || !this._pendingSockets.has(socket)) return release;
    const leave = this.acceptPending({
      remoteAddress: socket.remoteAddress ?? '',
      isProxy: this._expectsProxyHeader(socket),
      destroy: () => this._pendingSockets.get(socket)?.destroy(),
    });
    if (!leave) {
      socket.destroy();
      return false;
    }
    socket.once('close', leave);
    return () => {
      leave();
      release();
    };
  }
}

const METHODS = {
  SMTPServer: ['_acceptSocket', '_expectsProxyHeader'],
  SMTPConnection: [
    '_armTimeout',
    '_createParser',
    '_onClose',
    '_onCommand',
    '_parseAddressCommand',
    '_rejectInvalidParams',
    '_sendGreeting',
    '_setListeners',
    '_whenWritable',
  ],
  SMTPStream: ['_endDataMode', '_flushData', '_write'],
} as const satisfies Record<string, readonly string[]>;

const FIELDS = {
  SMTPServer: ['_pendingSockets'],
  SMTPConnection: ['_closed', '_closing', '_dataStream', '_parser', '_ready', '_server', '_socket', '_upgrading'],
  SMTPStream: ['_dataMode'],
} as const satisfies Record<keyof typeof METHODS, readonly string[]>;

/** One object of each of the library's classes, to look for members on. */
export const createLibraryObjects = (): Record<keyof typeof METHODS, object> => {
  const options: SMTPServerOptions = { logger: false };
  const server = new SMTPServer(options);
  return {
    SMTPServer: server,
    SMTPConnection: new SMTPConnection(server, new Socket()),
    SMTPStream: new SMTPStream(),
  };
};

/**
 * Checks that this version of smtp-server has every private member that this file touches.
 * @throws Error that names the class and the first member missing
 */
export const assertLibraryMembers = (objects = createLibraryObjects()): void => {
  for (const name of Object.keys(METHODS) as (keyof typeof METHODS)[]) {
    const members = objects[name] as Record<string, unknown>;
    const missing =
      METHODS[name].find((method) => typeof members[method] !== 'function') ??
      FIELDS[name].find((field) => !(field in members));
    if (missing) throw new Error(`This version of smtp-server has no ${name}.${missing}, which Postroom relies on.`);
  }
};
