/** One client's connection: smtp-server's protocol with Postroom's deadlines, line reading and replies. */

import type { SMTPServerDataStream } from 'smtp-server';
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { Pace } from '../../budget/pace.ts';
import type { Clock } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';
import type { ClientLimits, CountedConnection, IncomingMessage, Reservation, SmtpLimits } from './client-limits.ts';
import { DataReader } from './data-reader.ts';
import { Deadline } from './deadline.ts';
import { InputStream, type LineFault } from './input-stream.ts';
import { ProtocolConnection } from './protocol.ts';
import type { ConnectionSocket, LibraryServer, Step } from './smtp-library.ts';

/** The rules that every connection of a listener obeys. */
export interface ListenerRules {
  readonly limits: SmtpLimits;
  readonly maxMessageBytes: number;
  readonly clientLimits: ClientLimits;
  readonly clock: Clock;
  /** The parameters that MAIL takes; any other is refused (RFC 5321 section 4.1.1.11). */
  readonly mailParameters: ReadonlySet<string>;
  /** Called for each connection within the limits, before its greeting. */
  onAdmitted(connection: Connection): void;
}

export interface RuledServer extends LibraryServer {
  readonly rules: ListenerRules;
}

export class Connection extends ProtocolConnection implements CountedConnection {
  /** Epoch milliseconds since which a command from the client is due; null while one is processed. */
  idleSince: number | null = null;
  readonly #rules: ListenerRules;
  readonly #inputDeadline = new Deadline(() => this.#end('4.4.2 Nothing came in time'));
  readonly #messageDeadline = new Deadline(() => this.#end('4.4.2 The message took too long'));
  readonly #connectionDeadline = new Deadline(() => this.#endWhenIdle());
  readonly #pace: Pace;
  #isExpired = false;
  #reservation: Reservation | null = null;
  /** Octets of the message that is being received; null where there is none. */
  #received: number | null = null;

  constructor(server: RuledServer, socket: ConnectionSocket, options?: SMTPConnectionOptions | null) {
    super(server, socket, options);
    this.#rules = server.rules;
    this.#pace = new Pace(
      server.rules.clientLimits.pace,
      () => this.#received ?? 0,
      () => this.#end('4.4.2 The message comes too slowly'),
    );
  }

  override init(): void {
    const { clientLimits, limits } = this.#rules;
    try {
      clientLimits.openConnection(this);
    } catch (error) {
      super.listenToSocket(() => this.#refuseConnection(error));
      return;
    }
    this.#connectionDeadline.set(limits.connection_seconds);
    this.#rules.onAdmitted(this);
    super.init();
  }

  evict(): void {
    this.#end('4.3.2 Idle, and others are waiting');
  }

  /** Resolves with the whole message once its terminator is read. Rejects with the reason for its refusal. */
  async readMessage(stream: SMTPServerDataStream): Promise<Buffer> {
    // Read before the stream ends: a connection that closes right after its last octet has no input any more.
    const { input } = this;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      throw new SmtpError({ code: 451, enhanced: '4.4.2', text: 'The connection broke' });
    }
    const fault = input instanceof InputStream ? input.fault : null;
    if (fault) throw fault;
    // The DATA reader yields a message as one chunk.
    return chunks[0] ?? Buffer.alloc(0);
  }

  /** Returns the message's memory to the budget, once the message is processed. */
  releaseMessage(): void {
    this.#reservation?.release();
  }

  protected override createInput(): InputStream {
    // The base's constructor calls this before the fields of this class exist.
    const { rules } = this.server as RuledServer;
    return new InputStream({
      maxCommandBytes: rules.limits.command_bytes,
      isGreeted: () => this.isGreeted,
      onEarlyBytes: () => this.#refuseEarlyTalker(),
      onLineFault: (fault) => this.#refuseLine(fault),
      startMessage: () => this.#startMessage(),
      onMessageBytes: (bytes) => this.#countMessageBytes(bytes),
      onMessageEnd: () => {
        this.#inputDeadline.clear();
        this.#endMessage();
      },
      onMessageAnswered: () => this.#awaitInput(),
    });
  }

  protected override onGreeted(): void {
    this.#awaitInput();
  }

  protected override onCommand(): void {
    this.#stopAwaiting();
  }

  protected override onReplied(): void {
    this.#awaitInput();
  }

  protected override onClosed(): void {
    this.#rules.clientLimits.closeConnection(this);
    this.#stopAwaiting();
    this.#endMessage();
    this.#connectionDeadline.clear();
  }

  override handler_DATA(command: Buffer, callback: Step): void {
    try {
      if (this.session.envelope.rcptTo.length > 0) this.#rules.clientLimits.requireMemory(this.remoteAddress, 1);
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

  #startMessage(): DataReader {
    const { limits, maxMessageBytes, clientLimits } = this.#rules;
    this.#reservation = clientLimits.reserve(this.#incomingMessage());
    this.#received = 0;
    this.#messageDeadline.set(limits.message_seconds);
    this.#pace.start();
    const { line_bytes: lineBytes, header_bytes: headerBytes } = limits;
    return new DataReader({ messageBytes: maxMessageBytes, lineBytes, headerBytes }, this.#reservation);
  }

  #incomingMessage(): IncomingMessage {
    const received = () => this.#received;
    return {
      remoteAddress: this.remoteAddress,
      get received() {
        return received();
      },
      evict: () => this.#end('4.3.2 Slow, and others are waiting'),
    };
  }

  #countMessageBytes(bytes: number): void {
    this.#inputDeadline.refresh();
    this.#received = (this.#received ?? 0) + bytes;
  }

  #endMessage(): void {
    this.#received = null;
    this.#messageDeadline.clear();
    this.#pace.stop();
  }

  /** Starts the deadline for the client's next input: a command, or the next packet of its message. */
  #awaitInput(): void {
    if (this.isEnding) return;
    if (this.#isExpired) {
      this.#end('4.4.2 This connection has lasted long enough');
      return;
    }
    const { command_seconds, data_idle_seconds } = this.#rules.limits;
    this.#inputDeadline.set(this.isInData ? data_idle_seconds : command_seconds);
    this.idleSince = this.isInData ? null : this.#rules.clock.now();
  }

  #stopAwaiting(): void {
    this.#inputDeadline.clear();
    this.idleSince = null;
  }

  #endWhenIdle(): void {
    this.#isExpired = true;
    if (this.idleSince !== null) this.#awaitInput();
  }

  /** Replies 421 and closes without reading what the client still sends. A client that reads no replies is cut off. */
  #end(text: string): void {
    const readsReplies = !this.socket.writableNeedDrain;
    this.send(421, text);
    // During a handshake the TLS layer owns the socket; the library's close ends both.
    if (this.isUpgrading) return;
    if (readsReplies) this.socket.destroySoon();
    else this.socket.destroy();
  }

  #refuseConnection(error: unknown): void {
    this.#end(error instanceof SmtpError ? error.message : '4.3.0 A fault here, please try again later');
  }

  /** Refuses input before the greeting (RFC 5321 section 4.3.1): few mail hosts send any, many spam senders do. */
  #refuseEarlyTalker(): void {
    this.#rules.clientLimits.noteEarlyTalker(this.remoteAddress);
    this.send(554, '5.5.0 You spoke before the greeting');
    this.close();
  }

  /** Closes on a malformed line: the octets after it have two readings, so none is read (RFC 5321 section 2.3.8). */
  #refuseLine(fault: LineFault): void {
    const text = fault === 'too-long' ? 'Line too long' : 'Only CRLF ends a line';
    this.send(500, `5.5.2 ${text}`);
    this.close();
  }
}
