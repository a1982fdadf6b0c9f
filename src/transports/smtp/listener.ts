/** A listening SMTP server: Postroom's connections, one certificate at a time, handlers that refuse by throwing. */

import type {
  SMTPServer,
  SMTPServerAddress,
  SMTPServerAuthentication,
  SMTPServerOptions,
  SMTPServerSession,
} from 'smtp-server';
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { SmtpError } from '../../kernel/errors.ts';
import { Connection, type ListenerRules } from './connection.ts';
import { Deadline } from './deadline.ts';
import { type ConnectionSocket, LibraryServer, type PendingSocket } from './smtp-library.ts';
import { type Certificate, type TlsStrength, toTlsOptions } from './tls-options.ts';

/** Handlers of a client's commands. Each refuses by throwing an SmtpError; any other error is a fault of this instance. */
export interface ListenerHandlers {
  /** @returns the authenticated user; without this handler AUTH is not offered */
  login?(connection: Connection, credentials: SMTPServerAuthentication): Promise<object>;
  takeSender(connection: Connection, sender: SMTPServerAddress): Promise<undefined>;
  takeRecipient(connection: Connection, recipient: SMTPServerAddress): Promise<undefined>;
  /** @returns the text of the 250 reply; undefined for the default */
  takeMessage(connection: Connection, raw: Buffer): Promise<string | undefined>;
}

export interface ListenerSettings {
  readonly hostname: string;
  /** TLS from the first byte. */
  readonly implicitTls: boolean;
  /** Null: STARTTLS is not offered. */
  readonly certificate: Certificate | null;
  /** Addresses of proxies: their connections begin with a PROXY header (PROXY protocol). */
  readonly proxies: readonly string[];
}

/** Milliseconds that open sessions may continue after the listener has closed. */
const CLOSE_GRACE_MS = 20_000;
/** The longest that Node's timers take. Deadlines replace the library's idle timeout, which any octet restarts. */
const NO_IDLE_TIMEOUT_MS = 2 ** 31 - 1;
/** Commands of the library that are disabled: they let a client override its address, or are jokes. */
const DISABLED = ['XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'];

/** A step that was refused. */
interface Refused {
  session: SMTPServerSession;
  stage: 'auth' | 'sender' | 'recipient' | 'data';
  from: string | null;
  /** The recipient of that step; of a login the user name. */
  to: string | null;
  refusal: SmtpError;
}

export type OnRefused = (refused: Refused) => void;

const senderOf = ({ envelope }: SMTPServerSession): string | null =>
  envelope.mailFrom ? envelope.mailFrom.address : null;

const toStrength = (isImplicit: boolean): TlsStrength => (isImplicit ? 'strict' : 'opportunistic');

export class Listener extends LibraryServer {
  readonly rules: ListenerRules;
  readonly #connections = new WeakMap<SMTPServerSession, Connection>();

  constructor(options: SMTPServerOptions, rules: ListenerRules, certificate: Certificate | null) {
    super(options);
    this.rules = rules;
    this.useCertificate(certificate);
  }

  /** Sets the certificate of later handshakes; null disables STARTTLS. */
  useCertificate(certificate: Certificate | null): void {
    const others = this.options.disabledCommands.filter((command) => command !== 'STARTTLS');
    this.options.disabledCommands = certificate ? others : [...others, 'STARTTLS'];
    if (certificate) this.updateSecureContext(toTlsOptions(certificate, toStrength(this.options.secure === true)));
    // Discards the library's default certificate, because its key is public.
    else this.secureContext.clear();
  }

  connectionOf(session: SMTPServerSession): Connection {
    const connection = this.#connections.get(session);
    if (!connection) throw new Error('A session without a connection.');
    return connection;
  }

  override connect(socket: ConnectionSocket, options?: SMTPConnectionOptions | null): void {
    const connection = new Connection(this, socket, options);
    this.#connections.set(connection.session, connection);
    connection.on('error', (error) => this.emit('error', error));
    connection.init();
    if (!connection.isEnding) this.connections.add(connection);
  }

  /**
   * Applies the deadline of a command to what precedes the session, a handshake or a PROXY header, however slowly its
   * octets arrive. A handshake counts as its client's connection; a proxy's counts to no network before its header.
   */
  protected override acceptPending({ remoteAddress, isProxy, destroy }: PendingSocket): (() => void) | null {
    const { clientLimits, limits, clock } = this.rules;
    const connection = { remoteAddress, isProxy, idleSince: clock.now(), evict: destroy };
    const deadline = new Deadline(destroy);
    try {
      clientLimits.openConnection(connection);
    } catch {
      return null;
    }
    deadline.set(limits.command_seconds);
    return () => {
      deadline.clear();
      clientLimits.closeConnection(connection);
    };
  }
}

type Done = (error?: Error | null, text?: string) => void;

export const createListener = (
  settings: ListenerSettings,
  rules: ListenerRules,
  handlers: ListenerHandlers,
  onError: (error: unknown) => void,
  onRefused: OnRefused,
): Listener => {
  const toRefusal = (error: unknown): SmtpError => {
    if (!(error instanceof SmtpError) || error.cause !== undefined) onError(error);
    if (error instanceof SmtpError) return error;
    return new SmtpError({ code: 451, enhanced: '4.3.0', text: 'A fault here, please try again later' });
  };
  /** Passes a step's result to the library: a refusal with its own code and text, any other error as 451. */
  const answer = (about: Omit<Refused, 'refusal'>, step: Promise<string | undefined>, done: Done): void => {
    step.then(
      (text) => done(null, text),
      (error: unknown) => {
        const refusal = toRefusal(error);
        onRefused({ ...about, refusal });
        done(refusal);
      },
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
      socketTimeout: NO_IDLE_TIMEOUT_MS,
      hideENHANCEDSTATUSCODES: false,
      disableReverseLookup: true,
      disabledCommands: login ? DISABLED : [...DISABLED, 'AUTH'],
      authMethods: ['PLAIN', 'LOGIN'],
      logger: false,
      ...(settings.certificate && toTlsOptions(settings.certificate, toStrength(settings.implicitTls))),
      onSecure: (socket, session, done) => {
        listener.connectionOf(session).onSecure(socket);
        done();
      },
      onClose: (session) => listener.connectionOf(session).onClosed(),
      onMailFrom: (sender, session, done) => {
        const about = { session, stage: 'sender', from: sender.address, to: null } as const;
        answer(about, handlers.takeSender(listener.connectionOf(session), sender), done);
      },
      onRcptTo: (recipient, session, done) => {
        const about = { session, stage: 'recipient', from: senderOf(session), to: recipient.address } as const;
        answer(about, handlers.takeRecipient(listener.connectionOf(session), recipient), done);
      },
      onData: (stream, session, done) => {
        const connection = listener.connectionOf(session);
        const take = async () => {
          try {
            return await handlers.takeMessage(connection, await connection.readMessage(stream));
          } finally {
            connection.releaseMessage();
          }
        };
        answer({ session, stage: 'data', from: senderOf(session), to: null }, take(), done);
      },
      ...(login && {
        onAuth: (credentials, session, done) => {
          login(listener.connectionOf(session), credentials).then(
            (user) => done(null, { user }),
            (error: unknown) => {
              const refusal = toRefusal(error);
              onRefused({ session, stage: 'auth', from: null, to: credentials.username ?? null, refusal });
              done(refusal);
            },
          );
        },
      }),
    },
    rules,
    settings.certificate,
  );
  // Errors of a single connection are ignored; the caller listens for the error of `listen` itself.
  listener.on('error', () => {});
  return listener;
};

/** Accepts no new connection and ends those between messages; a message in progress is finished first. */
export const closeListener = (listener: SMTPServer): Promise<void> =>
  new Promise((resolve) => {
    listener.close(resolve);
    for (const connection of listener.connections) {
      if (!(connection instanceof Connection && connection.hasMessage))
        connection.send(421, '4.3.2 Shutting down, please come again');
    }
  });
