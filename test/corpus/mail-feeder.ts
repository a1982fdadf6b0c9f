/** Puts message after message through one SMTP connection, as a stranger's mail host would. */

import { RawSmtp } from '../harness/smtp/raw-smtp.ts';

/** A reply that takes longer is a hang. */
const REPLY_WITHIN_MS = 5_000;

/** A file's bytes as they go over the wire: CRLF alone ends a line, no bare CR, the last line ended, dots doubled. */
export const forTheWire = (message: Buffer): Buffer => {
  const text = message.toString('latin1').replace(/\r\n|\r|\n/g, '\r\n');
  const ended = text.endsWith('\r\n') ? text : `${text}\r\n`;
  return Buffer.from(`${ended.replace(/^\./gm, '..')}.\r\n`, 'latin1');
};

export class MailFeeder implements AsyncDisposable {
  readonly #session: RawSmtp;

  private constructor(session: RawSmtp) {
    this.#session = session;
  }

  static async connect(port: number): Promise<MailFeeder> {
    const session = await RawSmtp.connect({ port });
    await session.reply();
    await session.command('EHLO mail.remote.test');
    return new MailFeeder(session);
  }

  /** @returns the reply to the message, or the first refusal before it; rejects where one does not come in time */
  async deliver(message: Buffer, recipient: string, sender = 'carol@remote.test'): Promise<string> {
    for (const line of [`MAIL FROM:<${sender}>`, `RCPT TO:<${recipient}>`, 'DATA']) {
      this.#session.write(`${line}\r\n`);
      const reply = await this.#session.reply(REPLY_WITHIN_MS);
      if (!/^[23]/.test(reply)) return reply;
    }
    this.#session.write(forTheWire(message));
    return this.#session.reply(REPLY_WITHIN_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#session.write('QUIT\r\n');
    await this.#session[Symbol.asyncDispose]();
  }
}
