/** A listening server: our connections, one certificate at a time, and handlers that answer by throwing. */

import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerAuthentication,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server';
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { SmtpError } from '../../kernel/errors.ts';
import { Connection, type ListenerRules } from './connection.ts';
import { Deadline } from './deadline.ts';
import { type Certificate, tlsOptionsOf } from './tls-options.ts';

/** What is done with what a client says. Each refuses by throwing an SmtpError; anything else thrown is a fault of ours. */
export interface ListenerHandlers {
  /** @returns who that is; left out, AUTH is no command */
  login?(connection: Connection, credentials: SMTPServerAuthentication): Promise<object>;
  takeSender(connection: Connection, sender: SMTPServerAddress): Promise<undefined>;
  takeRecipient(connection: Connection, recipient: SMTPServerAddress): Promise<undefined>;
  /** @returns what the 250 says, where that is something of its own */
  takeMessage(connection: Connection, raw: Buffer): Promise<string | undefined>;
}

export interface ListenerSettings {
  readonly hostname: string;
  /** TLS from the first byte. */
  readonly implicitTls: boolean;
  /** Null: STARTTLS is not offered. */
  readonly certificate: Certificate | null;
  /** Addresses whose connections begin with a PROXY header. */
  readonly proxies: readonly string[];
}

/** How long sessions under way may go on after the listener closed. */
const CLOSE_GRACE_MS = 20_000;
/** Commands of the library's that are none of ours: they trust the client's word, or are jokes. */
const NEVER = ['XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'];

export class Listener extends SMTPServer {
  readonly rules: ListenerRules;
  readonly #connections = new WeakMap<SMTPServerSession, Connection>();

  constructor(options: SMTPServerOptions, rules: ListenerRules, certificate: Certificate | null) {
    super(options);
    this.rules = rules;
    this.useCertificate(certificate);
  }

  /** For the handshakes to come. */
  useCertificate(certificate: Certificate | null): void {
    const others = this.options.disabledCommands.filter((command) => command !== 'STARTTLS');
    this.options.disabledCommands = certificate ? others : [...others, 'STARTTLS'];
    if (certificate) this.updateSecureContext(tlsOptionsOf(certificate));
    // The library's own certificate, whose key everybody has, is not left lying about.
    else this.secureContext.clear();
  }

  connectionOf(session: SMTPServerSession): Connection {
    const connection = this.#connections.get(session);
    if (!connection) throw new Error('A session without a connection.');
    return connection;
  }

  override connect(socket: Socket | TLSSocket, options?: SMTPConnectionOptions | null): void {
    const connection = new Connection(this, socket, options);
    this.#connections.set(connection.session, connection);
    this.connections.add(connection);
    connection.on('error', (error) => this._onError(error as Error));
    connection.init();
  }

  /**
   * What precedes the session, a handshake or a PROXY header, has as long as a command, however it trickles in. A
   * handshake counts as its client's connection; behind a proxy the client is not known yet.
   */
  override _acceptSocket(socket: Socket, handshake: boolean): (() => void) | false {
    const release = super._acceptSocket(socket, handshake);
    if (!release || !this._pendingSockets.has(socket)) return release;
    const { traffic, limits, clock } = this.rules;
    const end = () => this._pendingSockets.get(socket)?.destroy();
    const isProxy = this._expectsProxyHeader(socket);
    const visitor = { remoteAddress: socket.remoteAddress ?? '', isProxy, idleSince: clock.now(), evict: end };
    const deadline = new Deadline(end);
    const leave = () => {
      deadline.clear();
      traffic.leave(visitor);
    };
    try {
      traffic.authenticateRequest(visitor);
    } catch {
      socket.destroy();
      return false;
    }
    deadline.set(limits.command_seconds);
    socket.once('close', leave);
    return () => {
      leave();
      release();
    };
  }
}

type Done = (error?: Error | null, text?: string) => void;

export const createListener = (
  settings: ListenerSettings,
  rules: ListenerRules,
  handlers: ListenerHandlers,
  onError: (error: unknown) => void,
): Listener => {
  const replyTo = (error: unknown): SmtpError => {
    if (!(error instanceof SmtpError) || error.cause !== undefined) onError(error);
    if (error instanceof SmtpError) return error;
    return new SmtpError({ code: 451, enhanced: '4.3.0', text: 'A fault here, please try again later' });
  };
  /** Tells the library how a step went: a refusal in its own words, a fault of ours as "come again". */
  const answer = (step: Promise<string | undefined>, done: Done): void => {
    step.then(
      (text) => done(null, text),
      (error: unknown) => done(replyTo(error)),
    );
  };
  const { login } = handlers;
  const listener: Listener = new Listener(
    {
      name: settings.hostname,
      banner: 'Postroom',
      heloResponse: '%s greets %s',
      secure: settings.implicitTls,
      size: rules.maxMessageBytes,
      maxRecipients: rules.limits.recipients_per_message,
      useProxy: [...settings.proxies],
      closeTimeout: CLOSE_GRACE_MS,
      hideENHANCEDSTATUSCODES: false,
      disableReverseLookup: true,
      disabledCommands: login ? NEVER : [...NEVER, 'AUTH'],
      authMethods: ['PLAIN', 'LOGIN'],
      logger: false,
      ...(settings.certificate && tlsOptionsOf(settings.certificate)),
      onMailFrom: (sender, session, done) => answer(handlers.takeSender(listener.connectionOf(session), sender), done),
      onRcptTo: (recipient, session, done) =>
        answer(handlers.takeRecipient(listener.connectionOf(session), recipient), done),
      onData: (stream, session, done) => {
        const connection = listener.connectionOf(session);
        const take = async () => {
          try {
            return await handlers.takeMessage(connection, await connection.readMessage(stream));
          } finally {
            connection.releaseMessage();
          }
        };
        answer(take(), done);
      },
      ...(login && {
        onAuth: (credentials, session, done) => {
          login(listener.connectionOf(session), credentials).then(
            (user) => done(null, { user }),
            (error: unknown) => done(replyTo(error)),
          );
        },
      }),
    },
    rules,
    settings.certificate,
  );
  // A connection that breaks is its client's business; a listener that cannot listen is told by who started it.
  listener.on('error', () => {});
  return listener;
};

/** Takes no new connection and ends those that are between mails; a mail under way is finished first. */
export const closeListener = (listener: SMTPServer): Promise<void> =>
  new Promise((resolve) => {
    listener.close(resolve);
    for (const connection of listener.connections) {
      if (!connection._dataStream) connection.send(421, '4.3.2 Shutting down, please come again');
    }
  });
