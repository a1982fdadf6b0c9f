/** One client's connection: the library's protocol with our bounds on time, our reading of lines, and our replies. */

import type { SMTPServer, SMTPServerDataStream } from 'smtp-server';
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { Pace } from '../../budget/pace.ts';
import type { Clock } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';
import { MessageIntake } from './data-reader.ts';
import { Deadline } from './deadline.ts';
import { InputStream, type LineFault } from './input-stream.ts';
import { ProtocolConnection, type Step } from './protocol.ts';
import type { Incoming, Reservation, SmtpLimits, Traffic, Visitor } from './traffic.ts';

/** What the connections of a listener keep to. */
export interface ListenerRules {
  readonly limits: SmtpLimits;
  readonly maxMessageBytes: number;
  readonly traffic: Traffic;
  readonly clock: Clock;
  /** The parameters that MAIL takes; any other is refused (RFC 5321 section 4.1.1.11). */
  readonly mailParameters: ReadonlySet<string>;
  /** Told of each connection that is let in. */
  onAdmitted(connection: Connection): void;
}

export interface RuledServer extends SMTPServer {
  readonly rules: ListenerRules;
}

type Socket = ProtocolConnection['_socket'];

export class Connection extends ProtocolConnection implements Visitor {
  /** Since when the client owes us a command; null while it is served. */
  idleSince: number | null = null;
  readonly #rules: ListenerRules;
  readonly #turn = new Deadline(() => this.#end('4.4.2 Nothing came in time'));
  readonly #message = new Deadline(() => this.#end('4.4.2 The message took too long'));
  readonly #whole = new Deadline(() => this.#endWhenIdle());
  readonly #pace: Pace;
  #isOver = false;
  #reservation: Reservation | null = null;
  /** Octets of the message that is coming in; null where none is. */
  #received: number | null = null;

  constructor(server: RuledServer, socket: Socket, options?: SMTPConnectionOptions | null) {
    super(server, socket, options);
    this.#rules = server.rules;
    this.#pace = new Pace(
      server.rules.traffic.pace,
      () => this.#received ?? 0,
      () => this.#end('4.4.2 The message comes too slowly'),
    );
  }

  override init(): void {
    const { traffic, limits } = this.#rules;
    try {
      traffic.authenticateRequest(this);
    } catch (error) {
      super._setListeners(() => this.#refuseAtOnce(error));
      return;
    }
    this.#whole.set(limits.connection_seconds);
    this.#rules.onAdmitted(this);
    super.init();
  }

  evict(): void {
    this.#end('4.3.2 Idle, and others are waiting');
  }

  /** The whole message, once it is in. Rejects with why it is refused. */
  async readMessage(stream: SMTPServerDataStream): Promise<Buffer> {
    // Kept here: a connection that closes behind its last byte has no parser any more.
    const input = this._parser;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      throw new SmtpError({ code: 451, enhanced: '4.4.2', text: 'The connection broke' });
    }
    const fault = input instanceof InputStream ? input.fault : null;
    if (fault) throw fault;
    // The intake hands a message over in one piece.
    return chunks[0] ?? Buffer.alloc(0);
  }

  /** The message is dealt with: its memory is another's. */
  releaseMessage(): void {
    this.#reservation?.release();
  }

  override _createParser(): SMTPStream {
    // The base's constructor calls this: the fields of this class are not there yet.
    const { rules } = this._server as RuledServer;
    const parser = new InputStream({
      maxCommandBytes: rules.limits.command_bytes,
      isGreeted: () => this._ready,
      onEarlyBytes: () => this.#refuseEarlyTalker(),
      onLineFault: (fault) => this.#refuseLine(fault),
      startMessage: () => this.#startMessage(),
      onMessageBytes: (bytes) => this.#takeMessageBytes(bytes),
      onMessageEnd: () => {
        this.#turn.clear();
        this.#endMessage();
      },
      onMessageAnswered: () => this.#giveTurn(),
    });
    parser.oncommand = (command, callback) => this._onCommand(command, callback);
    parser.on('error', () => this.send(421, '4.3.0 A fault here, please try again later'));
    return parser;
  }

  override _sendGreeting(): void {
    super._sendGreeting();
    this.#giveTurn();
  }

  override _onCommand(command: Buffer, callback?: Step): void {
    this.#takeTurn();
    super._onCommand(command, callback);
  }

  override _whenWritable(next: Step): void {
    this.#giveTurn();
    super._whenWritable(next);
  }

  /** Ours instead of the socket's idle time, which any byte begins anew. */
  override _armTimeout(): void {}

  override _onClose(): void {
    this.#rules.traffic.leave(this);
    this.#takeTurn();
    this.#endMessage();
    this.#whole.clear();
    super._onClose();
  }

  override handler_DATA(command: Buffer, callback: Step): void {
    try {
      if (this.session.envelope.rcptTo.length > 0) this.#rules.traffic.requireRoom(this.remoteAddress, 1);
    } catch (error) {
      if (!(error instanceof SmtpError)) throw error;
      this.send(error.responseCode, error.message);
      callback();
      return;
    }
    super.handler_DATA(command, callback);
  }

  protected override get mailParameters(): ReadonlySet<string> {
    return this.#rules.mailParameters;
  }

  #startMessage(): MessageIntake {
    const { limits, maxMessageBytes, traffic } = this.#rules;
    this.#reservation = traffic.reserve(this.#incoming());
    this.#received = 0;
    this.#message.set(limits.message_seconds);
    this.#pace.start();
    const { line_bytes: lineBytes, header_bytes: headerBytes } = limits;
    return new MessageIntake({ messageBytes: maxMessageBytes, lineBytes, headerBytes }, this.#reservation);
  }

  #incoming(): Incoming {
    const received = () => this.#received;
    return {
      remoteAddress: this.remoteAddress,
      get received() {
        return received();
      },
      evict: () => this.#end('4.3.2 Slow, and others are waiting'),
    };
  }

  #takeMessageBytes(bytes: number): void {
    this.#turn.refresh();
    this.#received = (this.#received ?? 0) + bytes;
  }

  #endMessage(): void {
    this.#received = null;
    this.#message.clear();
    this.#pace.stop();
  }

  /** From here on the client's time runs: for a command, or for the next piece of its message. */
  #giveTurn(): void {
    if (this._closing || this._closed) return;
    if (this.#isOver) {
      this.#end('4.4.2 This connection has lasted long enough');
      return;
    }
    const isMessage = this._parser ? this._parser._dataMode : false;
    const { command_seconds, data_idle_seconds } = this.#rules.limits;
    this.#turn.set(isMessage ? data_idle_seconds : command_seconds);
    this.idleSince = isMessage ? null : this.#rules.clock.now();
  }

  #takeTurn(): void {
    this.#turn.clear();
    this.idleSince = null;
  }

  #endWhenIdle(): void {
    this.#isOver = true;
    if (this.idleSince !== null) this.#giveTurn();
  }

  /** The client has been silent, or should be: nothing that it still sends is waited for. */
  #end(text: string): void {
    const isHeard = !this._socket.writableNeedDrain;
    this.send(421, text);
    // A handshake's socket must not be pulled from under it; the library's close ends that one.
    if (this._upgrading) return;
    if (isHeard) this._socket.destroySoon();
    else this._socket.destroy();
  }

  #refuseAtOnce(error: unknown): void {
    this.#end(error instanceof SmtpError ? error.message : '4.3.0 A fault here, please try again later');
  }

  /** RFC 5321 section 4.3.1: a client waits for the greeting. What does not is seldom a mail host. */
  #refuseEarlyTalker(): void {
    this.#rules.traffic.noteEarlyTalker(this.remoteAddress);
    this.send(554, '5.5.0 You spoke before the greeting');
    this.close();
  }

  /** What follows such a line could be read in two ways, so none of it is read (RFC 5321 section 2.3.8). */
  #refuseLine(fault: LineFault): void {
    const text = fault === 'too-long' ? 'Line too long' : 'Only CRLF ends a line';
    this.send(500, `5.5.2 ${text}`);
    this.close();
  }
}
