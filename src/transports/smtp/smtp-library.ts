/**
 * smtp-server's private members: all that Postroom reads, calls or overrides stand in this file. A test fails where a
 * version lacks one.
 */

import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { isAddressAllowed, SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';

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
}
