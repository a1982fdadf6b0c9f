/** One client's connection: smtp-server's protocol with Postroom's deadlines, line reading and replies. */

import type { SMTPServerDataStream } from 'smtp-server';
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { Pace } from '../../budget/pace.ts';
import type { Clock } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';
import type { ClientLimits, CountedConnection, IncomingMessage, Reservation, SmtpLimits } from './client-limits.ts';
import { DataReader } from './data-reader.ts';
import { Deadline } from './deadline.ts';
import { InputStream, type LineFault } from './input-stream.ts';
import { ProtocolConnection } from './protocol.ts';
import type { ConnectionSocket, LibraryServer, Step } from './smtp-library.ts';

/** Commands since the last message, beside those that name its recipients. */
const MOST_COMMANDS = 1_000;

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
  /** The message that is being received; null between messages. */
  incoming: (IncomingMessage & { received: number | null }) | null = null;
  /** Whether it has been refused, or closed from either side. */
  isEnding = false;
  readonly #rules: ListenerRules;
  /** Set by the base's constructor, before the fields of this class are. */
  declare private input: InputStream;
  #socket: ConnectionSocket;
  readonly #inputDeadline = new Deadline(() => this.#end('4.4.2 Nothing came in time'));
  readonly #messageDeadline = new Deadline(() => this.#end('4.4.2 The message took too long'));
  readonly #connectionDeadline = new Deadline(() => this.#endWhenIdle());
  readonly #pace: Pace;
  #isExpired = false;
  #isReady = false;
  #isGreeted = false;
  /** Whether a STARTTLS handshake is in progress. */
  #isUpgrading = false;
  #reservation: Reservation | null = null;
  #commands = 0;

  constructor(server: RuledServer, socket: ConnectionSocket, options?: SMTPConnectionOptions | null) {
    super(server, socket, options);
    this.#socket = socket;
    this.#rules = server.rules;
    this.#pace = new Pace(
      server.rules.clientLimits.pace,
      () => this.incoming?.received ?? 0,
      () => this.#end('4.4.2 The message comes too slowly'),
    );
  }

  /** Whether a message of this connection is being received or processed. */
  get hasMessage(): boolean {
    return this.#reservation !== null;
  }

  /** Begins the session. Over the limits it says so and closes, before the library reads anything. */
  override init(): void {
    const { clientLimits, limits } = this.#rules;
    try {
      clientLimits.openConnection(this);
    } catch (error) {
      this.#refuseConnection(error);
      return;
    }
    this.#connectionDeadline.set(limits.connection_seconds);
    this.#rules.onAdmitted(this);
    super.init();
    if (clientLimits.isGreetedAtOnce(this.remoteAddress)) this.connectionReady();
  }

  /** The library calls it 100 ms after `init`, for a client that was greeted at once too. */
  override connectionReady(next?: Step): void {
    if (this.#isReady) return;
    this.#isReady = true;
    super.connectionReady(() => {
      this.#isGreeted = true;
      next?.();
    });
  }

  /** After each reply, the greeting among them, input of the client is due. */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    super.send(code, data, context);
    this.#awaitInput();
  }

  override close(): void {
    this.isEnding = true;
    super.close();
  }

  override upgrade(callback: Step, secureCallback?: Step): void {
    this.#isUpgrading = true;
    super.upgrade(callback, secureCallback);
  }

  /** The handshake is done. */
  onSecure(socket: ConnectionSocket): void {
    this.#socket = socket;
    this.#isUpgrading = false;
  }

  /** The socket has closed. */
  onClosed(): void {
    this.isEnding = true;
    this.#rules.clientLimits.closeConnection(this);
    this.#stopAwaiting();
    this.#endMessage();
    this.#connectionDeadline.clear();
  }

  evict(): void {
    this.#end(`4.3.2 ${this.incoming ? 'Slow' : 'Idle'}, and others are waiting`);
  }

  /** Resolves with the whole message once its terminator is read. Rejects with the reason for its refusal. */
  async readMessage(stream: SMTPServerDataStream): Promise<Buffer> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      throw new SmtpError({ code: 451, enhanced: '4.4.2', text: 'The connection broke' });
    }
    const { fault } = this.input;
    if (fault) throw fault;
    // The DATA reader yields a message as one chunk.
    return chunks[0] ?? Buffer.alloc(0);
  }

  /** Returns the message's memory to the budget, once the message is processed. */
  releaseMessage(): void {
    this.#reservation?.release();
    this.#reservation = null;
  }

  protected override createInput(run: SMTPStream['oncommand']): InputStream {
    const rules = () => this.#rules;
    this.input = new InputStream({
      get maxCommandBytes() {
        return rules().limits.command_bytes;
      },
      isGreeted: () => this.#isGreeted,
      onEarlyBytes: () => this.#refuseEarlyTalker(),
      onLineFault: (fault) => this.#refuseLine(fault),
      startMessage: () => this.#startMessage(),
      onMessageBytes: (bytes) => this.#countMessageBytes(bytes),
      onMessageEnd: () => {
        this.#commands = 0;
        this.#inputDeadline.clear();
        this.#endMessage();
      },
    });
    this.input.oncommand = (command, callback) => {
      this.#stopAwaiting();
      this.#commands += 1;
      const most = rules().limits.recipients_per_message + MOST_COMMANDS;
      if (this.#commands <= most) run(command, callback);
      else this.#end('4.7.0 Too many commands without a message');
    };
    this.input.on('error', () => this.send(421, '4.3.0 A fault here, please try again later'));
    return this.input;
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
    const { remoteAddress } = this;
    this.incoming = { remoteAddress, since: this.#rules.clock.now(), received: 0, evict: () => this.evict() };
    this.#reservation = clientLimits.reserve(this.incoming);
    this.#messageDeadline.set(limits.message_seconds);
    this.#pace.start();
    const { line_bytes: lineBytes, header_bytes: headerBytes } = limits;
    return new DataReader({ messageBytes: maxMessageBytes, lineBytes, headerBytes }, this.#reservation);
  }

  #countMessageBytes(bytes: number): void {
    this.#inputDeadline.refresh();
    if (this.incoming) this.incoming.received = (this.incoming.received ?? 0) + bytes;
  }

  #endMessage(): void {
    if (this.incoming) this.incoming.received = null;
    this.incoming = null;
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
    this.#inputDeadline.set(this.input.isInData ? data_idle_seconds : command_seconds);
    this.idleSince = this.input.isInData ? null : this.#rules.clock.now();
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
    const readsReplies = !this.#socket.writableNeedDrain;
    this.send(421, text);
    // During a handshake the TLS layer owns the socket; the library's close ends both.
    if (this.#isUpgrading) return;
    if (readsReplies) this.#socket.destroySoon();
    else this.#socket.destroy();
  }

  /** The library's own close would keep this object for five seconds. */
  #refuseConnection(error: unknown): void {
    const text = error instanceof SmtpError ? error.message : '4.3.0 A fault here, please try again later';
    this.isEnding = true;
    this.#socket.on('error', () => {});
    this.#socket.write(`421 ${text}\r\n`);
    this.#socket.destroySoon();
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
