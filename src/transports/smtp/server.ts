/** Port 25: smtp-server's protocol, our replies, and the way in behind it. */

import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { Arrival, Destination } from '../../inbound/arrival.ts';
import type { FindDestination } from '../../inbound/destination.ts';
import type { Receive } from '../../inbound/receive.ts';
import { parseAddress } from '../../kernel/address.ts';
import type { Clock } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';
import type { TransmissionType } from '../../mail/trace.ts';
import { hasBareLineEnd } from './line-ends.ts';

/** Open connections. Each costs a socket and a little memory; one more is told to come again. */
const MAX_CONNECTIONS = 1_000;
/** Recipients of one mail. RFC 5321 section 4.5.3.1.8 asks for 100 at least. */
const MAX_RECIPIENTS = 100;
/** RFC 5321 section 4.5.3.2.7: five minutes for the client's next command. */
const COMMAND_TIME_OUT_MS = 5 * 60_000;
/** A command line of RFC 5321 section 4.5.3.1.4 is 512 octets; extensions add to it. */
const MAX_COMMAND_BYTES = 4_096;
/** How long sessions under way may go on after the listener closed. */
const CLOSE_GRACE_MS = 20_000;

export interface SmtpSettings {
  hostname: string;
  maxMessageBytes: number;
  /** Null: STARTTLS is not offered. */
  tls: { cert: Buffer; key: Buffer } | null;
}

export interface SmtpNeeds {
  findDestination: FindDestination;
  receive: Receive;
  clock: Clock;
  /** The name that an address points back to, or null. Never rejects. */
  reverseName: (ip: string) => Promise<string | null>;
  onError: (error: unknown) => void;
}

type Done = (error?: Error | null) => void;

/** A reply whose text begins with an enhanced status code (RFC 2034) keeps that one; the library would put its own before it. */
class Connection extends SMTPConnection {
  override send(code: number, data?: string | string[], context?: string | false): void {
    const isOwn = typeof data === 'string' && /^[245]\.\d{1,3}\.\d{1,3} /.test(data);
    super.send(code, data, isOwn ? false : context);
  }
}

class Server extends SMTPServer {
  override connect(socket: Socket | TLSSocket, options?: SMTPConnectionOptions | null): void {
    const connection = new Connection(this, socket, options ?? undefined);
    this.connections.add(connection);
    connection.on('error', (error) => this._onError(error as Error));
    connection.on('connect', (data) => this._onClientConnect(data));
    connection.init();
  }
}

export const createSmtpServer = (settings: SmtpSettings, needs: SmtpNeeds): SMTPServer => {
  const accepted = new WeakMap<SMTPServerSession, Map<string, Destination>>();

  /** Runs a step and tells the library how it went: a refusal in its own words, a fault of ours as "come again". */
  const answer = (step: () => Promise<void> | void, done: Done): void => {
    Promise.resolve()
      .then(step)
      .then(() => done())
      .catch((error: unknown) => done(replyTo(error)));
  };
  const replyTo = (error: unknown): SmtpError => {
    if (error instanceof SmtpError) {
      if (error.cause !== undefined) needs.onError(error);
      return error;
    }
    needs.onError(error);
    return new SmtpError({ code: 451, enhanced: '4.3.0', text: 'A fault here, please try again later' });
  };

  const takeSender = (session: SMTPServerSession, { address }: SMTPServerAddress): void => {
    accepted.set(session, new Map());
    if (address !== '' && !parseAddress(address)) {
      throw new SmtpError({ code: 553, enhanced: '5.1.7', text: 'The sender is no mail address' });
    }
  };

  const takeRecipient = async (session: SMTPServerSession, { address }: SMTPServerAddress): Promise<void> => {
    const parsed = parseAddress(address);
    if (!parsed) throw new SmtpError({ code: 553, enhanced: '5.1.3', text: 'The recipient is no mail address' });
    accepted.get(session)?.set(address.toLowerCase(), await needs.findDestination(parsed));
  };

  const takeMessage = async (session: SMTPServerSession, stream: SMTPServerDataStream): Promise<void> => {
    const raw = await readMessage(stream, settings.maxMessageBytes);
    if (hasBareLineEnd(raw)) {
      throw new SmtpError({ code: 550, enhanced: '5.6.11', text: 'A bare CR or LF in the message' });
    }
    await needs.receive(await arrivalOf(session, raw));
  };

  const arrivalOf = async (session: SMTPServerSession, raw: Buffer): Promise<Arrival> => {
    const { mailFrom, rcptTo } = session.envelope;
    const known = accepted.get(session);
    const destinations = rcptTo.flatMap(({ address }) => known?.get(address.toLowerCase()) ?? []);
    return {
      raw,
      destinations: oneEach(destinations),
      envelope: {
        mailFrom: mailFrom ? mailFrom.address : '',
        soleRecipient: rcptTo.length === 1 ? (rcptTo[0]?.address ?? null) : null,
        ip: session.remoteAddress,
        helo: session.hostNameAppearsAs || '',
        reverseName: await needs.reverseName(session.remoteAddress),
        protocol: session.transmissionType as TransmissionType,
        sessionId: session.id,
        at: needs.clock.now(),
      },
    };
  };

  const options: SMTPServerOptions = {
    name: settings.hostname,
    banner: 'Postroom',
    size: settings.maxMessageBytes,
    maxClients: MAX_CONNECTIONS,
    maxRecipients: MAX_RECIPIENTS,
    maxCommandLength: MAX_COMMAND_BYTES,
    socketTimeout: COMMAND_TIME_OUT_MS,
    closeTimeout: CLOSE_GRACE_MS,
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    disabledCommands: ['AUTH', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL', ...(settings.tls ? [] : ['STARTTLS'])],
    logger: false,
    ...(settings.tls && { cert: settings.tls.cert, key: settings.tls.key }),
    onMailFrom: (address, session, done) => answer(() => takeSender(session, address), done),
    onRcptTo: (address, session, done) => answer(() => takeRecipient(session, address), done),
    onData: (stream, session, done) => answer(() => takeMessage(session, stream), done),
  };
  const server = new Server(options);
  // A connection that breaks is its client's business.
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE' || error.code === 'EACCES') needs.onError(error);
  });
  return server;
};

/** Takes no new connection and ends those that are between mails; a mail under way is finished first. */
export const closeSmtpServer = (server: SMTPServer): Promise<void> =>
  new Promise((resolve) => {
    server.close(resolve);
    for (const connection of server.connections) {
      if (!connection._dataStream) connection.send(421, '4.3.2 Shutting down, please come again');
    }
  });

/** One mailbox named by several of its addresses gets one copy. */
const oneEach = (destinations: Destination[]): Destination[] => [
  ...new Map(destinations.map((each) => [`${each.kind} ${each.recipient.mailboxId}`, each])).values(),
];

/** Past the size nothing more is kept; the rest is read and dropped, so that the client hears the reply. */
const readMessage = async (stream: SMTPServerDataStream, maxBytes: number): Promise<Buffer> => {
  let chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (stream.sizeExceeded) chunks = [];
    else chunks.push(chunk);
  }
  if (stream.sizeExceeded) {
    throw new SmtpError({ code: 552, enhanced: '5.3.4', text: `The message is larger than ${maxBytes} bytes` });
  }
  return Buffer.concat(chunks);
};
