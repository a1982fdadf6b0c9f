/** The library's commands, corrected where RFC 5321 and its extensions differ. Applies no limits and reads no messages. */

import { withEnhancedCode } from './enhanced-codes.ts';
import { needsUtf8, parseMailPath } from './mail-path.ts';
import { LibraryConnection, type ParsedPath, type Step } from './smtp-library.ts';

/** Characters of a client's input that a reply repeats. */
const REPEATED_CHARS = 40;

export abstract class ProtocolConnection extends LibraryConnection {
  /** The parameters that MAIL takes; any other is refused (RFC 5321 section 4.1.1.11). */
  protected abstract get mailParameters(): ReadonlySet<string>;

  /** @param context the library finds the enhanced status code by it; of a refused command it is the client's own word */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    const text = typeof data === 'string' ? withEnhancedCode(code, data) : null;
    super.send(code, text ?? data, text !== null ? false : code === 500 ? undefined : context);
  }

  protected override readPath(command: 'MAIL FROM' | 'RCPT TO', line: Buffer): ParsedPath {
    const path = parseMailPath(command, line);
    if (!path) return false;
    const { address, parameters, duplicate } = path;
    return { address, args: Object.fromEntries(parameters), ...(duplicate !== null && { duplicate }) };
  }

  override handler_MAIL(command: Buffer, callback: Step): void {
    if (this.#takesParameters('MAIL FROM', command)) super.handler_MAIL(command, callback);
    else callback();
  }

  override handler_RCPT(command: Buffer, callback: Step): void {
    if (this.#takesParameters('RCPT TO', command)) super.handler_RCPT(command, callback);
    else callback();
  }

  /** Replies where it returns false. A path that cannot be read is left to the library's own reply. */
  #takesParameters(command: 'MAIL FROM' | 'RCPT TO', line: Buffer): boolean {
    const path = parseMailPath(command, line);
    if (!path) return true;
    const isMail = command === 'MAIL FROM';
    const unknown = path.parameters.keys().find((name) => !(isMail && this.mailParameters.has(name)));
    const utf8 = isMail ? path.parameters.get('SMTPUTF8') === true : this.session.envelope.smtpUtf8;
    if (unknown !== undefined) this.send(555, `5.5.4 ${unknown.slice(0, REPEATED_CHARS)} is no parameter here`);
    else if (needsUtf8(path.address) && !utf8) this.send(553, '5.6.7 This address takes SMTPUTF8');
    else return true;
    return false;
  }

  override handler_DATA(command: Buffer, callback: Step): void {
    this.#withoutArgument(command, callback, () => super.handler_DATA(command, callback));
  }

  override handler_RSET(command: Buffer, callback: Step): void {
    this.#withoutArgument(command, callback, () => super.handler_RSET(command, callback));
  }

  override handler_QUIT(command: Buffer, callback: Step): void {
    this.#withoutArgument(command, callback, () => super.handler_QUIT(command, callback));
  }

  /** Replies 252 to any address, so that VRFY does not disclose which addresses exist (RFC 5321 section 7.3). */
  override handler_VRFY(_command: Buffer, callback: Step): void {
    this.send(252, '2.0.0 Not verified; send a message and see');
    callback();
  }

  handler_EXPN(_command: Buffer, callback: Step): void {
    this.send(502, '5.5.1 There are no lists to expand');
    callback();
  }

  #withoutArgument(command: Buffer, callback: Step, run: Step): void {
    const [verb = '', ...rest] = command.toString('latin1').trim().split(/\s+/);
    if (rest.length === 0) {
      run();
      return;
    }
    this.send(501, `5.5.4 ${verb.toUpperCase()} takes no argument`);
    callback();
  }
}
