/** An SMTP session as its client has it (RFC 5321): opened once, then one transaction after the other, each with one recipient. */

import { logIn } from './client-auth.ts';
import { SmtpWire } from './client-connection.ts';
import { QUIT_TIMEOUT_MS, SMTP_TIMEOUTS, type SmtpTimeouts } from './client-timeouts.ts';
import { tlsOptionsOf, tlsStateOf } from './client-tls.ts';
import { bodyOf } from './data-body.ts';
import type { MailToDeliver, SessionTarget, TlsFailure, TlsState } from './delivery-request.ts';
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

/** What is handed to the socket at a time, and so the unit of the data block time-out. */
const BLOCK_BYTES = 64 * 1024;

export class SmtpSession {
  readonly target: SessionTarget;
  /** Transactions that were begun. */
  mails = 0;
  #tls: TlsState | null = null;
  #tlsFailure: TlsFailure | null = null;
  #localAddress: string | null = null;
  #extensions: Extensions = parseExtensions('');
  readonly #timeouts: SmtpTimeouts;
  #transcript: Transcript = createTranscript();
  #wire: SmtpWire | null = null;
  /** Something of the last transaction may still stand. */
  #needsReset = false;
  #isOver = false;

  private constructor(target: SessionTarget) {
    this.target = target;
    this.#timeouts = { ...SMTP_TIMEOUTS, ...target.timeouts };
  }

  /**
   * Connects, greets, and has TLS and a login as the target wants them.
   * @param earlier how the same came to nothing with TLS
   */
  static async open(target: SessionTarget, earlier?: Unreachable): Promise<SmtpSession | DeliveryReply> {
    const session = new SmtpSession(target);
    if (earlier) session.#tlsFailure = earlier.tlsFailure ?? { type: 'validation-failure', reason: earlier.reason };
    try {
      await session.#open(earlier && `in the clear, for TLS failed: ${earlier.reason}`);
      return session;
    } catch (error) {
      return session.#endOf(error);
    }
  }

  get tls(): TlsState | null {
    return this.#tls;
  }

  /** What was wrong with TLS, where the session goes on without it, or without the certificate that was wanted. */
  get tlsFailure(): TlsFailure | null {
    return this.#tlsFailure;
  }

  /** The address of ours that it is connected from. */
  get localAddress(): string | null {
    return this.#localAddress;
  }

  /** Whether STARTTLS was on offer, used or not. */
  get offersTls(): boolean {
    return this.#extensions.offers('STARTTLS') || this.#tls !== null;
  }

  /** Whether a further transaction may be begun. */
  get isReusable(): boolean {
    return !this.#isOver && this.#wire?.isIdleAndOpen === true;
  }

  /** One transaction. @see RFC 5321 section 3.3 */
  async deliver(given: MailToDeliver): Promise<DeliveryReply> {
    const mail = mailFor(given, this.#extensions);
    this.mails += 1;
    if (this.mails > 1) this.#beginTranscript(`mail ${this.mails} of this session`);
    const refusal = refusalBeforeMail(mail, this.#extensions, this.target.host.name);
    if (refusal) return this.#answered(refusal);
    try {
      return this.#answered(await this.#transact(mail));
    } catch (error) {
      return this.#endOf(error);
    }
  }

  /** Says good-bye; the caller need not wait, for nothing depends on the answer. */
  async quit(): Promise<void> {
    const wire = this.#wire;
    if (!wire || this.#isOver) return;
    this.#isOver = true;
    wire.write('QUIT\r\n');
    await wire.readReply(QUIT_TIMEOUT_MS).catch(() => undefined);
    wire.close();
  }

  async #open(note: string | undefined): Promise<void> {
    const { target } = this;
    this.#beginTranscript(note);
    const wire = await this.#at('connect', () =>
      SmtpWire.connect({ ...target.host, ...target }, this.#timeouts.connect, (text) =>
        this.#transcript.add('S', text),
      ),
    );
    this.#wire = wire;
    this.#localAddress = wire.socket.localAddress ?? null;
    if (target.tls.kind === 'required' && target.tls.implicit) await this.#secure(wire);
    const greeting = await this.#at('greeting', () => wire.readReply(this.#timeouts.greeting));
    if (greeting.code >= 400) throw new Refusal(greeting);
    await this.#greet(wire);
    if (this.#tls === null && target.tls.kind !== 'none') await this.#startTls(wire);
    if (target.login) {
      const { login } = target;
      const refusal = await this.#at('auth', () =>
        logIn({
          login,
          extensions: this.#extensions,
          isPrivate: this.#tls !== null || target.host.address === '127.0.0.1' || target.host.address === '::1',
          ask: (line, shown) => this.#ask(wire, 'auth', line, this.#timeouts.mail, shown),
        }),
      );
      if (refusal) throw new Refusal(refusal);
    }
  }

  /** RFC 5321 section 4.1.1.1: HELO where EHLO is not known. */
  async #greet(wire: SmtpWire): Promise<void> {
    const { localName } = this.target;
    const reply = await this.#ask(wire, 'ehlo', `EHLO ${localName}`, this.#timeouts.ehlo);
    if (reply.code < 400) {
      this.#extensions = parseExtensions(reply.response);
      return;
    }
    if (reply.code === 421) throw new Refusal(reply);
    const helo = await this.#ask(wire, 'ehlo', `HELO ${localName}`, this.#timeouts.ehlo);
    if (helo.code >= 400) throw new Refusal(helo);
  }

  /** RFC 3207. What the host offers before it and after it are two things. */
  async #startTls(wire: SmtpWire): Promise<void> {
    const without = (reason: string): void => this.#tlsFailed({ type: 'starttls-not-supported', reason });
    if (!this.#extensions.offers('STARTTLS')) return without('The host does not offer STARTTLS');
    const reply = await this.#ask(wire, 'starttls', 'STARTTLS', this.#timeouts.starttls);
    if (reply.code >= 400) return without(reply.response);
    await this.#secure(wire);
    await this.#greet(wire);
  }

  async #secure(wire: SmtpWire): Promise<void> {
    const { tls, host } = this.target;
    const { check = null, extraCa = null } = tls.kind === 'none' ? {} : tls;
    try {
      const socket = await wire.startTls(tlsOptionsOf(host.name, extraCa), this.#timeouts.starttls);
      const failure = check?.(socket) ?? null;
      if (failure) this.#tlsFailed(failure);
      this.#tls = tlsStateOf(socket);
    } catch (error) {
      if (error instanceof SessionError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new SessionError('starttls', error, { type: 'validation-failure', reason });
    }
  }

  /** @throws where TLS is required; else the session goes on */
  #tlsFailed(failure: TlsFailure): void {
    if (this.target.tls.kind === 'required') throw new SessionError('starttls', failure.reason, failure);
    this.#tlsFailure = failure;
  }

  async #transact(mail: MailToDeliver): Promise<SmtpReply> {
    const wire = this.#wire;
    if (!wire) throw new SessionError('mail', 'There is no connection');
    const reset = this.#needsReset ? ['RSET'] : [];
    const from = mailCommand(mail, this.#extensions);
    const to = `RCPT TO:<${mail.recipient}>`;
    const { mail: mailMs, rcpt: rcptMs, dataCommand } = this.#timeouts;
    this.#needsReset = true;
    // RFC 2920: DATA may end a group. Where the recipient is refused and DATA is not, an empty message ends it.
    const isPipelined = this.#extensions.offers('PIPELINING');
    if (isPipelined) this.#send(wire, ...reset, from, to, 'DATA');
    const say = (line: string): void => {
      if (!isPipelined) this.#send(wire, line);
    };
    for (const line of reset) {
      say(line);
      await this.#at('mail', () => wire.readReply(mailMs));
    }
    say(from);
    const mailReply = await this.#at('mail', () => wire.readReply(mailMs));
    if (mailReply.code >= 400 && !isPipelined) return mailReply;
    say(to);
    const rcptReply = await this.#orRefusal(mailReply, 'rcpt', () => wire.readReply(rcptMs));
    const refusal = [mailReply, rcptReply].find(({ code }) => code >= 400);
    if (refusal && !isPipelined) return refusal;
    say('DATA');
    const dataReply = await this.#orRefusal(refusal, 'data', () => wire.readReply(dataCommand));
    if (refusal) return dataReply.code === 354 ? this.#endEmpty(wire, refusal) : refusal;
    if (dataReply.code !== 354) return dataReply;
    return this.#sendBody(wire, mail.raw);
  }

  async #sendBody(wire: SmtpWire, raw: Uint8Array): Promise<SmtpReply> {
    const body = bodyOf(raw);
    for (let at = 0; at < body.length; at += BLOCK_BYTES) {
      const block = body.subarray(at, at + BLOCK_BYTES);
      await this.#at('data', () => wire.writeBlock(block, this.#timeouts.dataBlock));
    }
    this.#transcript.add('C', `(${raw.length} bytes of message, and the final dot)`);
    const reply = await this.#at('final', () => wire.readReply(this.#timeouts.final));
    this.#needsReset = false;
    return reply;
  }

  /** @returns the refusal, which stands whatever the host says to a message without recipients */
  async #endEmpty(wire: SmtpWire, refusal: SmtpReply): Promise<SmtpReply> {
    this.#send(wire, '.');
    await this.#orRefusal(refusal, 'data', () => wire.readReply(this.#timeouts.dataCommand));
    return refusal;
  }

  /** A refusal of sender or recipient stands, whatever happens to the connection later. */
  async #orRefusal(before: SmtpReply | undefined, phase: Phase, step: () => Promise<SmtpReply>): Promise<SmtpReply> {
    try {
      return await this.#at(phase, step);
    } catch (error) {
      if (!before || before.code < 400) throw error;
      throw new Refusal(before);
    }
  }

  #beginTranscript(more?: string): void {
    const { host, port } = this.target;
    this.#transcript = createTranscript();
    this.#transcript.add('*', `${host.name} [${host.address}]:${port}${more === undefined ? '' : `, ${more}`}`);
  }

  #send(wire: SmtpWire, ...lines: string[]): void {
    for (const line of lines) this.#transcript.add('C', line);
    wire.write(lines.map((line) => `${line}\r\n`).join(''));
  }

  /** @param shown what the transcript has in place of a line that holds a secret */
  async #ask(wire: SmtpWire, phase: Phase, line: string, timeoutMs: number, shown = line): Promise<SmtpReply> {
    this.#transcript.add('C', shown);
    wire.write(`${line}\r\n`);
    return this.#at(phase, () => wire.readReply(timeoutMs));
  }

  async #at<T>(phase: Phase, step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      throw error instanceof SessionError || error instanceof Refusal ? error : new SessionError(phase, error);
    }
  }

  #answered(reply: SmtpReply): Answered {
    // RFC 5321 section 3.8: with 421 the host closes.
    if (reply.code === 421) void this.quit();
    const kind = reply.code < 400 ? 'accepted' : 'refused';
    return { ...reply, kind, tls: this.#tls, transcript: this.#transcript.text() };
  }

  #endOf(error: unknown): DeliveryReply {
    if (error instanceof Refusal) {
      // Before the first mail nothing else can be done with the session; behind it, the connection was lost.
      void this.quit();
      return this.#answered(error.reply);
    }
    this.#isOver = true;
    this.#wire?.close();
    if (!(error instanceof SessionError)) throw error;
    const reason = error.message.trim().slice(0, 500);
    this.#transcript.add('*', reason);
    const { phase, tlsFailure } = error;
    const localAddress = this.#localAddress;
    return { kind: 'unreachable', reason, phase, tlsFailure, localAddress, transcript: this.#transcript.text() };
  }
}
