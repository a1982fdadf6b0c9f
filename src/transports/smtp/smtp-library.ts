/**
 * smtp-server's private members: all that Postroom reads, calls or overrides stand in this file. A test fails where a
 * version lacks one.
 */

import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { isAddressAllowed, SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { toVersion1 } from './proxy-header.ts';

export type ConnectionSocket = Socket | TLSSocket;
export type ParsedPath = ReturnType<SMTPConnection['_parseAddressCommand']>;
export type Step = () => void;

export abstract class LibraryConnection extends SMTPConnection {
  /**
   * Called by the base's constructor, before the fields of a subclass exist, and again after STARTTLS.
   * @param run runs one command
   */
  protected abstract createInput(run: SMTPStream['oncommand']): SMTPStream;
  protected abstract readPath(command: 'MAIL FROM' | 'RCPT TO', line: Buffer): ParsedPath;

  override _createParser(): SMTPStream {
    return this.createInput((command, callback) => this._onCommand(command, callback));
  }

  override _parseAddressCommand(name: string, line: Buffer | string): ParsedPath {
    return this.readPath(name === 'mail from' ? 'MAIL FROM' : 'RCPT TO', Buffer.from(line));
  }
}

/** What ends a socket before its PROXY header. */
const ENDS = ['end', 'error', 'close'] as const;

/** An accepted socket before its PROXY header or TLS handshake. */
export interface PendingSocket {
  readonly remoteAddress: string;
  readonly isProxy: boolean;
  destroy(): void;
}

export abstract class LibraryServer extends SMTPServer {
  /** @returns what releases the socket again, on close or once its session begins; null refuses the socket */
  protected abstract acceptPending(pending: PendingSocket): (() => void) | null;

  override _acceptSocket(socket: Socket, handshake: boolean): (() => void) | false {
    const release = super._acceptSocket(socket, handshake);
    if (!release || !this._pendingSockets.has(socket)) return release;
    const leave = this.acceptPending({
      remoteAddress: socket.remoteAddress ?? '',
      isProxy: isAddressAllowed(this.options.useProxy, socket.remoteAddress),
      // During a handshake the TLS socket is destroyed: Node fails where the one below it is.
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

  /** Reads a PROXY header of version 2 for the library, which reads version 1. */
  override _handleProxy(socket: Socket, callback: Parameters<SMTPServer['_handleProxy']>[1]): void {
    if (!isAddressAllowed(this.options.useProxy, socket.remoteAddress)) {
      super._handleProxy(socket, callback);
      return;
    }
    let received = Buffer.alloc(0);
    const leave = (): void => {
      socket.off('readable', read);
      for (const event of ENDS) socket.off(event, end);
    };
    const end = (): void => {
      leave();
      socket.on('error', () => undefined).destroy();
      callback(new Error('No PROXY header came that can be read.'));
    };
    const read = (): void => {
      const chunk: Buffer | null = socket.read();
      received = Buffer.concat([received, chunk ?? Buffer.alloc(0)]);
      const header = toVersion1(received);
      if (header === 'incomplete') return;
      if (header === 'invalid') {
        end();
        return;
      }
      leave();
      socket.unshift(header.octets);
      super._handleProxy(socket, callback);
    };
    socket.on('readable', read);
    for (const event of ENDS) socket.on(event, end);
  }
}
