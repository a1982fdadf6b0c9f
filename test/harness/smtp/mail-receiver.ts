/** A receiving SMTP server for tests, which keeps what it gets and refuses what it is told to refuse. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { type Certificate, selfSigned } from '../net/certificate.ts';
import { WAIT_LIMIT_MS } from '../wait-limit.ts';

export interface ReceivedMessage {
  /** Empty: the null sender. */
  readonly mailFrom: string;
  readonly rcptTo: string[];
  readonly raw: Buffer;
  readonly secure: boolean;
  /** Whether the client asked for SMTPUTF8. */
  readonly smtpUtf8: boolean;
  /** What the client called itself, and the host it asked for by SNI. */
  readonly helo: string;
  readonly servername: string | null;
  /** Who logged in; null: nobody did. */
  readonly user: string | null;
}

/** A refusal, as `{ code: 550, text: '5.1.1 No such user' }`. */
export interface ScriptedReply {
  readonly code: number;
  readonly text: string;
}

type Answer<T> = (value: T) => ScriptedReply | undefined | Promise<ScriptedReply | undefined>;

export interface ReceiverOptions {
  /** Left out: a free port of 127.0.0.1. */
  readonly listen?: { readonly host: string; readonly port: number };
  /** Offers STARTTLS, with a self-signed certificate or the one given, and the versions given. */
  readonly tls?: boolean | (Certificate & Pick<SecureContextOptions, 'minVersion' | 'maxVersion' | 'ciphers'>);
  /** TLS from the first byte. */
  readonly implicit?: boolean;
  /** Takes mail from this user alone, who logs in over TLS. */
  readonly login?: { readonly user: string; readonly password: string };
  /** Announced by SIZE. */
  readonly size?: number;
  readonly pipelining?: boolean;
  /** False: SMTPUTF8 is not offered. */
  readonly smtpUtf8?: boolean;
  readonly onMailFrom?: Answer<string>;
  readonly onRcpt?: Answer<string>;
  /** Asked when the message is in; refused, it is not kept. A promise holds the reply back. */
  readonly onData?: Answer<ReceivedMessage>;
}

export interface Receiver extends AsyncDisposable {
  readonly port: number;
  readonly messages: ReceivedMessage[];
  /** What clients have logged in with. */
  readonly logins: { user: string; password: string }[];
  /** Connections made so far. */
  connections(): number;
  /** Resolves with the messages once there are `count`; rejects after `timeoutMs`, saying how many there are. */
  waitFor(count: number, timeoutMs?: number): Promise<ReceivedMessage[]>;
  /** Breaks all connections. */
  cut(): void;
  close(): Promise<void>;
}

const replyWith = async (
  answer: Promise<ScriptedReply | undefined> | ScriptedReply | undefined,
  callback: (error?: Error | null) => void,
): Promise<boolean> => {
  const reply = await answer;
  callback(reply ? Object.assign(new Error(reply.text), { responseCode: reply.code }) : null);
  return reply === undefined;
};

export const startReceiver = async (options: ReceiverOptions = {}): Promise<Receiver> => {
  const messages: ReceivedMessage[] = [];
  const waiting = new Set<() => void>();
  const logins: { user: string; password: string }[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: options.login === undefined,
    disabledCommands: [...(options.login ? [] : ['AUTH']), ...(options.tls ? [] : ['STARTTLS'])],
    secure: options.implicit === true,
    disableReverseLookup: true,
    logger: false,
    hidePIPELINING: options.pipelining === false,
    hideSMTPUTF8: options.smtpUtf8 === false,
    ...(options.size ? { size: options.size } : {}),
    ...((options.tls || options.implicit) && (typeof options.tls === 'object' ? options.tls : selfSigned())),
    onAuth({ username, password }, _session, callback) {
      logins.push({ user: username ?? '', password: password ?? '' });
      const isRight = username === options.login?.user && password === options.login?.password;
      callback(isRight ? null : new Error('Wrong user or password'), isRight ? { user: username } : undefined);
    },
    onConnect(_session, callback) {
      connections++;
      callback();
    },
    onMailFrom({ address }, _session, callback) {
      void replyWith(options.onMailFrom?.(address), callback);
    },
    onRcptTo({ address }, _session, callback) {
      void replyWith(options.onRcpt?.(address), callback);
    },
    async onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of stream) chunks.push(chunk);
      } catch (error) {
        // A client that was killed in the middle of a message has sent none.
        callback(error as Error);
        return;
      }
      const { envelope } = session;
      const message: ReceivedMessage = {
        mailFrom: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
        rcptTo: envelope.rcptTo.map(({ address }) => address),
        raw: Buffer.concat(chunks),
        secure: session.secure,
        smtpUtf8: envelope.smtpUtf8 === true,
        helo: session.hostNameAppearsAs,
        servername: session.servername || null,
        user: session.user ?? null,
      };
      const refusal = await options.onData?.(message);
      if (refusal === undefined) messages.push(message);
      await replyWith(refusal, callback);
      for (const look of waiting) look();
    },
  });
  // A client that breaks off is what many tests are about.
  server.on('error', () => undefined);
  server.listen(options.listen?.port ?? 0, options.listen?.host ?? '127.0.0.1');
  await once(server.server, 'listening');

  const waitFor = (count: number, timeoutMs = WAIT_LIMIT_MS): Promise<ReceivedMessage[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<ReceivedMessage[]>();
    const look = () => messages.length >= count && resolve(messages);
    const late = () => reject(new Error(`${messages.length} of ${count} messages came within ${timeoutMs} ms`));
    const timer = setTimeout(late, timeoutMs);
    waiting.add(look);
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(look);
    });
  };
  const cut = () => {
    for (const connection of server.connections) connection._socket?.destroy();
  };
  const close = async () => {
    const closed = once(server.server, 'close');
    server.close();
    cut();
    await closed;
  };
  const { port } = server.server.address() as AddressInfo;
  return { port, messages, logins, connections: () => connections, waitFor, cut, close, [Symbol.asyncDispose]: close };
};
