/** Client side of an SMTP session (RFC 5321): opened once, then transactions in turn, each with one recipient. */

import { errorText } from '../tls/error-text.ts';
import { logIn } from './client-auth.ts';
import { SmtpConnection } from './client-connection.ts';
import { QUIT_TIMEOUT_MS, SMTP_TIMEOUTS, type SmtpTimeouts } from './client-timeouts.ts';
import { readTlsState, toTlsOptions } from './client-tls.ts';
import { toDataBody } from './data-body.ts';
import type { MailToDeliver, SessionDestination, TlsFailure, TlsState } from './delivery-request.ts';
import { type Extensions, parseExtensions } from './extensions.ts';
import { mailCommand, mailFor, refusalBeforeMail } from './mail-command.ts';
import {
  type Answered,
  type DeliveryReply,
  type Phase,
  Refusal,
  SessionError,
  type Unreachable,
} from './session-result.ts';
import type { SmtpReply } from './smtp-reply.ts';
import { createTranscript, type Transcript } from './transcript.ts';

/** Octets per socket write, and so the unit of the data block time-out. */
const BLOCK_BYTES = 64 * 1024;

export class SmtpSession {
  readonly destination: SessionDestination;
  /** Number of transactions started. */
  mails = 0;
  #tls: TlsState | null = null;
  #tlsFailure: TlsFailure | null = null;
  #localAddress: string | null = null;
  #extensions: Extensions = parseExtensions('');
  readonly #timeouts: SmtpTimeouts;
  #transcript: Transcript = createTranscript();
  #connection: SmtpConnection | null = null;
  /** Whether state of the last transaction may remain on the host. */
  #needsReset = false;
  #isOver = false;

  private constructor(destination: SessionDestination) {
    this.destination = destination;
    this.#timeouts = { ...SMTP_TIMEOUTS, ...destination.timeouts };
  }

  /**
   * Connects, greets, and negotiates TLS and authentication as the destination requires.
   * @param earlier the failed attempt with TLS
   */
  static async open(destination: SessionDestination, earlier?: Unreachable) {
    const session = new SmtpSession(destination);
    if (earlier) session.#tlsFailure = earlier.tlsFailure ?? { type: 'validation-failure', reason: earlier.reason };
    try {
      await session.#open(earlier && `in the clear, for TLS failed: ${earlier.reason}`);
      return { kind: 'open' as const, session };
    } catch (error) {
      return { kind: 'failed' as const, reply: session.#toResult(error) };
    }
  }

  get tls(): TlsState | null {
    return this.#tls;
  }

  /** The TLS failure of a session that continues in clear text, or with a certificate that fails its check. */
  get tlsFailure(): TlsFailure | null {
    return this.#tlsFailure;
  }

  /** The local address of the connection. */
  get localAddress(): string | null {
    return this.#localAddress;
  }

  /** Whether the host offers STARTTLS, used or not. */
  get offersTls(): boolean {
    return this.#extensions.offers('STARTTLS') || this.#tls !== null;
  }

  /** Whether another transaction can start. */
  get isReusable(): boolean {
    return !this.#isOver && this.#connection?.isIdleAndOpen === true;
  }

  /** Runs one transaction. @see RFC 5321 section 3.3 */
  async deliver(input: MailToDeliver): Promise<DeliveryReply> {
    const mail = mailFor(input, this.#extensions);
    this.mails += 1;
    if (this.mails > 1) this.#beginTranscript(`mail ${this.mails} of this session`);
    const refusal = refusalBeforeMail(mail, this.#extensions, this.destination.host.name);
    try {
      return this.#answered(refusal ?? (await this.#transact(mail)));
    } catch (error) {
      return this.#toResult(error);
    }
  }

  /** Sends QUIT; the caller need not wait, because the reply has no effect. */
  async quit(): Promise<void> {
    const connection = this.#connection;
    if (!connection || this.#isOver) return;
    this.#isOver = true;
    connection.write('QUIT\r\n');
    await connection.readReply(QUIT_TIMEOUT_MS).catch(() => undefined);
    connection.close();
  }

  async #open(note: string | undefined): Promise<void> {
    const { destination } = this;
    this.#beginTranscript(note);
    const connection = await this.#at('connect', () =>
      SmtpConnection.connect({ ...destination.host, ...destination }, this.#timeouts.connect, (text) =>
        this.#transcript.add('S', text),
      ),
    );
    this.#connection = connection;
    this.#localAddress = connection.socket.localAddress ?? null;
    if (destination.tls.kind === 'required' && destination.tls.implicit) await this.#secure(connection);
    const greeting = await this.#at('greeting', () => connection.readReply(this.#timeouts.greeting));
    if (greeting.code >= 400) throw new Refusal(greeting);
    await this.#greet(connection);
    if (this.#tls === null && destination.tls.kind !== 'none') await this.#startTls(connection);
    const login = destination.tls.kind === 'required' && destination.tls.login;
    if (login) {
      const refusal = await this.#at('auth', () =>
        logIn({
          login,
          extensions: this.#extensions,
          ask: (line, shown) => this.#ask(connection, 'auth', line, this.#timeouts.mail, shown),
        }),
      );
      if (refusal) throw new Refusal(refusal);
    }
  }

  /** RFC 5321 section 4.1.1.1: HELO where the host rejects EHLO. */
  async #greet(connection: SmtpConnection): Promise<void> {
    const { localName } = this.destination;
    const reply = await this.#ask(connection, 'ehlo', `EHLO ${localName}`, this.#timeouts.ehlo);
    if (reply.code < 400) {
      this.#extensions = parseExtensions(reply.response);
      return;
    }
    if (reply.code === 421) throw new Refusal(reply);
    const helo = await this.#ask(connection, 'ehlo', `HELO ${localName}`, this.#timeouts.ehlo);
    if (helo.code >= 400) throw new Refusal(helo);
  }

  /** RFC 3207: the extensions before and after STARTTLS are independent. */
  async #startTls(connection: SmtpConnection): Promise<void> {
    const without = (reason: string): void => this.#tlsFailed({ type: 'starttls-not-supported', reason });
    if (!this.#extensions.offers('STARTTLS')) return without('The host does not offer STARTTLS');
    const reply = await this.#ask(connection, 'starttls', 'STARTTLS', this.#timeouts.starttls);
    if (reply.code >= 400) return without(reply.response);
    await this.#secure(connection);
    await this.#greet(connection);
  }

  async #secure(connection: SmtpConnection): Promise<void> {
    const { tls, host } = this.destination;
    const check = tls.kind === 'none' ? null : tls.check;
    try {
      const socket = await connection.startTls(toTlsOptions(host.name, tls), this.#timeouts.starttls);
      const failure = check?.(socket) ?? null;
      if (failure) this.#tlsFailed(failure);
      this.#tls = readTlsState(socket);
    } catch (error) {
      if (error instanceof SessionError) throw error;
      throw new SessionError('starttls', error, { type: 'validation-failure', reason: errorText(error) });
    }
  }

  /** @throws where TLS is required; else the session continues */
  #tlsFailed(failure: TlsFailure): void {
    if (this.destination.tls.kind === 'required') throw new SessionError('starttls', failure.reason, failure);
    this.#tlsFailure = failure;
  }

  async #transact(mail: MailToDeliver): Promise<SmtpReply> {
    const connection = this.#connection;
    if (!connection) throw new SessionError('mail', 'There is no connection');
    const reset = this.#needsReset ? ['RSET'] : [];
    const from = mailCommand(mail, this.#extensions);
    const to = `RCPT TO:<${mail.recipient}>`;
    const { mail: mailMs, rcpt: rcptMs, dataCommand } = this.#timeouts;
    this.#needsReset = true;
    // RFC 2920: DATA may end a group. Where the recipient is rejected and DATA is not, an empty message ends it.
    const isPipelined = this.#extensions.offers('PIPELINING');
    if (isPipelined) this.#send(connection, ...reset, from, to, 'DATA');
    const say = (line: string): void => {
      if (!isPipelined) this.#send(connection, line);
    };
    for (const line of reset) {
      say(line);
      await this.#at('mail', () => connection.readReply(mailMs, 2));
    }
    say(from);
    const mailReply = await this.#at('mail', () => connection.readReply(mailMs, 2));
    if (mailReply.code >= 400 && !isPipelined) return mailReply;
    say(to);
    const rcpt = await this.#orRefusal(mailReply, 'rcpt', () => connection.readReply(rcptMs, 2));
    const refusal = [mailReply, { ...rcpt, isOfRecipient: true as const }].find(({ code }) => code >= 400);
    if (refusal && !isPipelined) return refusal;
    say('DATA');
    const dataReply = await this.#orRefusal(refusal, 'data', () => connection.readReply(dataCommand, 3));
    if (refusal) return dataReply.code < 400 ? this.#endEmpty(connection, refusal) : refusal;
    if (dataReply.code >= 400) return dataReply;
    return this.#sendBody(connection, mail.raw);
  }

  async #sendBody(connection: SmtpConnection, raw: Uint8Array): Promise<SmtpReply> {
    const body = toDataBody(raw);
    const until = performance.now() + this.#timeouts.message;
    for (let at = 0; at < body.length; at += BLOCK_BYTES) {
      // Not after the last block, which has the final dot: the host may accept the message.
      if (performance.now() > until) throw new SessionError('data', 'The host takes the message in too slowly');
      const block = body.subarray(at, at + BLOCK_BYTES);
      const early = await this.#at('data', () => connection.writeBlock(block, this.#timeouts.dataBlock));
      if (early) return early;
    }
    this.#transcript.add('C', `(${raw.length} bytes of message, and the final dot)`);
    const reply = await this.#at('final', () => connection.readReply(this.#timeouts.final, 2));
    this.#needsReset = false;
    return reply;
  }

  /** @returns the rejection, whatever the host replies to a message without recipients */
  async #endEmpty(connection: SmtpConnection, refusal: SmtpReply): Promise<SmtpReply> {
    this.#send(connection, '.');
    await this.#orRefusal(refusal, 'data', () => connection.readReply(this.#timeouts.dataCommand));
    return refusal;
  }

  /** A rejection of sender or recipient stays the result, even if the connection fails later. */
  async #orRefusal(before: SmtpReply | undefined, phase: Phase, step: () => Promise<SmtpReply>): Promise<SmtpReply> {
    try {
      return await this.#at(phase, step);
    } catch (error) {
      if (!before || before.code < 400) throw error;
      throw new Refusal(before);
    }
  }

  #beginTranscript(more?: string): void {
    const { host, port } = this.destination;
    this.#transcript = createTranscript();
    this.#transcript.add('*', `${host.name} [${host.address}]:${port}${more === undefined ? '' : `, ${more}`}`);
  }

  #send(connection: SmtpConnection, ...lines: string[]): void {
    for (const line of lines) this.#transcript.add('C', line);
    connection.write(lines.map((line) => `${line}\r\n`).join(''));
  }

  /** @param shown recorded in the transcript instead of a line that contains a secret */
  async #ask(
    connection: SmtpConnection,
    phase: Phase,
    line: string,
    timeoutMs: number,
    shown = line,
  ): Promise<SmtpReply> {
    this.#transcript.add('C', shown);
    connection.write(`${line}\r\n`);
    return this.#at(phase, () => connection.readReply(timeoutMs));
  }

  async #at<T>(phase: Phase, step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      throw error instanceof SessionError || error instanceof Refusal ? error : new SessionError(phase, error);
    }
  }

  #answered(reply: SmtpReply): Answered {
    // RFC 5321 section 3.8: the host closes after 421.
    if (reply.code === 421) void this.quit();
    const kind = reply.code < 400 ? 'accepted' : 'refused';
    return { ...reply, kind, tls: this.#tls, transcript: this.#transcript.text() };
  }

  #toResult(error: unknown): DeliveryReply {
    if (error instanceof Refusal) {
      // Before the first transaction the session is unusable; later the connection was lost.
      void this.quit();
      return this.#answered(error.reply);
    }
    this.#isOver = true;
    this.#connection?.close();
    if (!(error instanceof SessionError)) throw error;
    const reason = error.message.trim().slice(0, 500);
    this.#transcript.add('*', reason);
    const { phase, tlsFailure } = error;
    const localAddress = this.#localAddress;
    return { kind: 'unreachable', reason, phase, tlsFailure, localAddress, transcript: this.#transcript.text() };
  }
}
