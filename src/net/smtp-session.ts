/** One SMTP session (RFC 5321) with one message for one recipient, up to the reply that decides. */

import { isAscii } from 'node:buffer';
import net from 'node:net';
import { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Millis } from '../kernel/clock.ts';
import type { DeliveryRequest, TlsState } from './delivery-request.ts';
import { parseReply, type SmtpReply } from './smtp-reply.ts';
import { createSessionRecord, type Phase, type SessionRecord, type Transcript } from './smtp-session-record.ts';
import { QUIT_TIMEOUT_MS, SMTP_TIMEOUTS, type SmtpTimeouts } from './smtp-timeouts.ts';

/** How a session ended. */
export type Outcome =
  | { readonly kind: 'accepted' | 'refused'; readonly reply: SmtpReply; readonly tls: TlsState | null }
  | { readonly kind: 'unreachable'; readonly reason: string; readonly phase: Phase };

/** Larger than any reply, smaller than what a hostile host would fill memory with. */
const MAX_REPLY_BYTES = 64 * 1024;
/** What is handed to the socket at a time, and so the unit of the data block time-out. */
const BLOCK_BYTES = 64 * 1024;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const connect = (request: DeliveryRequest, timeout: Millis): Promise<net.Socket> => {
  const { host, port, localAddress } = request;
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>();
  const socket = net.connect({ host: host.address, port, ...(localAddress ? { localAddress } : {}) });
  const timer = setTimeout(() => socket.destroy(new Error('Connection timed out')), timeout);
  socket.once('error', reject);
  socket.once('connect', () => {
    socket.off('error', reject);
    resolve(socket);
  });
  return promise.finally(() => clearTimeout(timer));
};

/** The time-out of the step that a session is at. */
const timeoutOf = (record: SessionRecord, timeouts: SmtpTimeouts): Millis => {
  const phase = record.phase();
  if (phase === 'data') return record.sendsBody() ? timeouts.dataBlock : timeouts.dataCommand;
  return timeouts[phase];
};

const tlsOf = (connection: SMTPConnection): TlsState | null => {
  const socket = connection._socket;
  if (!(socket instanceof TLSSocket)) return null;
  return { protocol: socket.getProtocol() ?? 'unknown', cipher: socket.getCipher().standardName };
};

async function* blocksOf(raw: Buffer, record: SessionRecord, before: () => Promise<void>) {
  await before();
  for (let at = 0; at < raw.length; at += BLOCK_BYTES) {
    record.block();
    yield raw.subarray(at, at + BLOCK_BYTES);
  }
}

/** What we can tell before MAIL that the host would have to refuse; worded as the host's reply would be. */
const refusalBeforeMail = (request: DeliveryRequest, record: SessionRecord): string | null => {
  const { mailFrom, recipient, raw } = request;
  const addresses = `${mailFrom ?? ''}${recipient}`;
  // RFC 6531 section 3.2: such an address must not be sent to a host without the extension.
  if (!isAscii(Buffer.from(addresses)) && !record.offers('SMTPUTF8')) {
    return `553 5.6.7 ${request.host.name} does not take addresses outside ASCII (no SMTPUTF8)`;
  }
  // The library puts addresses between angle brackets as they are.
  if (/[<>\r\n]/.test(addresses)) return '553 5.1.3 The address cannot be sent';
  const limit = record.sizeLimit();
  // RFC 1870 section 6.1.
  return limit > 0 && raw.length > limit
    ? `552 5.3.4 ${request.host.name} takes messages of ${limit} bytes, this one has ${raw.length}`
    : null;
};

interface SendError extends Error {
  readonly code?: string | undefined;
  readonly response?: string | undefined;
}

const outcomeOfError = (error: SendError, record: SessionRecord, tls: TlsState | null): Outcome => {
  // A refused STARTTLS says nothing about the message.
  const said = error.code === 'ETLS' ? null : parseReply(error.response ?? '');
  const reply = said && said.code >= 400 ? said : record.refusal();
  return reply
    ? { kind: 'refused', reply, tls }
    : { kind: 'unreachable', reason: messageOf(error).trim().slice(0, 500), phase: record.phase() };
};

/** Says good-bye in the background: the outcome stands, and its caller need not wait. */
const leave = (connection: SMTPConnection): void => {
  if (connection.destroyed) return;
  const timer = setTimeout(() => connection.close(), QUIT_TIMEOUT_MS).unref();
  connection.once('end', () => clearTimeout(timer));
  connection.quit();
};

/**
 * Connects, sends and ends.
 * @param inTheClear leaves STARTTLS alone where it is offered
 * @returns how it ended; rejects only with the error of `onBeforeData`
 */
export const converse = async (
  request: DeliveryRequest,
  transcript: Transcript,
  inTheClear: boolean,
): Promise<Outcome> => {
  const timeouts = { ...SMTP_TIMEOUTS, ...request.timeouts };
  const { host, mailFrom, recipient, raw, requireTls = false } = request;
  transcript.add('*', `${host.name} [${host.address}]:${request.port}`);
  let socket: net.Socket;
  try {
    socket = await connect(request, timeouts.connect);
  } catch (error) {
    transcript.add('*', messageOf(error));
    return { kind: 'unreachable', reason: messageOf(error), phase: 'connect' };
  }

  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let timer: NodeJS.Timeout | undefined;
  let decided = false;
  const record = createSessionRecord(transcript, () => {
    clearTimeout(timer);
    if (decided) return;
    const timeout = timeoutOf(record, timeouts);
    timer = setTimeout(() => fail(new Error(`No answer within ${timeout / 1000} s`)), timeout);
  });
  const note = (entry: { tnx?: string; inByteCount?: number }, text = ''): void => {
    if (entry.tnx === 'client') record.command(text);
    else if (entry.tnx === 'server') record.reply(text);
    else if (entry.tnx === 'message') record.bodySent(entry.inByteCount ?? 0);
  };
  const backstop = Math.max(...Object.values(timeouts)) * 2;
  const connection = new SMTPConnection({
    connection: socket,
    // The name for SNI; the socket is connected already.
    host: host.name,
    port: request.port,
    secure: false,
    name: request.localName,
    ignoreTLS: inTheClear,
    requireTLS: requireTls,
    opportunisticTLS: !requireTls,
    // RFC 7435: without a policy that says which certificate to expect, an unverified one is better than none.
    tls: { rejectUnauthorized: false },
    // Time is kept here step by step; the library's own timers stay out of it.
    connectionTimeout: backstop,
    greetingTimeout: backstop,
    socketTimeout: backstop,
    maxResponseSize: MAX_REPLY_BYTES,
    transactionLog: true,
    logger: { debug: note, info: note },
  });
  let tls: TlsState | null = null;
  let hook: Promise<{ readonly error: unknown } | null> = Promise.resolve(null);

  // Where more than one of these is called, the first holds.
  const fail = (error: SendError): void => {
    if (error.response === undefined) transcript.add('*', error.message);
    resolve(outcomeOfError(error, record, tls));
    // Within the message a QUIT would be part of it, and without a reply nobody listens.
    if (error.response === undefined) connection.close();
  };
  const decide = (text: string): void => {
    const reply = parseReply(text);
    if (!reply) fail(new Error(`Not an SMTP reply: ${text.slice(0, 100)}`));
    else resolve({ kind: reply.code < 400 ? 'accepted' : 'refused', reply, tls });
  };
  const beforeData = async (): Promise<void> => {
    hook = (async () => request.onBeforeData?.())().then(
      () => null,
      (error: unknown) => ({ error }),
    );
    // An error of our own: the library writes into the one it gets.
    if (await hook) throw new Error('Ended before the message was sent');
  };

  record.connected();
  connection.on('error', fail);
  connection.connect((error) => {
    if (error) return fail(error);
    tls = tlsOf(connection);
    const refusal = refusalBeforeMail(request, record);
    if (refusal) return decide(refusal);
    const envelope = { from: mailFrom ?? '', to: recipient, size: raw.length, use8BitMime: !isAscii(raw) };
    const message = Readable.from(blocksOf(raw, record, beforeData), { objectMode: false });
    connection.send(envelope, message, (sendError, info) => {
      if (sendError) fail(sendError);
      else decide(info?.response ?? '');
    });
  });
  const outcome = await promise;
  decided = true;
  clearTimeout(timer);
  leave(connection);
  // Where the connection is lost meanwhile, what the caller does before DATA is still done before it hears of that.
  const failure = await hook;
  if (failure) throw failure.error;
  return outcome;
};
