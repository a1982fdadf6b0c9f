/** Sends bytes to an SMTP listener as a stranger's mail server would. */

import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { WAIT_LIMIT_MS } from '../wait-limit.ts';

export interface OutsideMail {
  /** Left out, 127.0.0.1. */
  host?: string;
  from?: string;
  to: string[];
  /** The whole message, CRLF; or its parts, of which a plain one is made. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
  text?: string;
}

export const plainMail = ({ headers = {}, text = 'Hello.' }: Pick<OutsideMail, 'headers' | 'text'>): string => {
  const all = {
    From: 'Carol <carol@remote.test>',
    To: 'ann@acme.agents.box.test',
    Subject: 'A question',
    Date: 'Mon, 16 Nov 2026 10:00:00 +0000',
    'Message-ID': `<${crypto.randomUUID()}@remote.test>`,
    'Content-Type': 'text/plain; charset=utf-8',
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${head.join('')}\r\n${text.replace(/\r?\n/g, '\r\n')}\r\n`;
};

/** @returns the server's final reply; rejects with its refusal */
export const sendMail = async (
  port: number,
  { host = '127.0.0.1', from = 'carol@remote.test', to, raw, headers, text }: OutsideMail,
): Promise<string> => {
  const connection = new SMTPConnection({
    host,
    port,
    name: 'mail.remote.test',
    ignoreTLS: true,
    logger: false,
  });
  const message = raw ?? plainMail({ ...(headers && { headers }), ...(text !== undefined && { text }) });
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject);
      connection.connect((error) => (error ? reject(error) : resolve()));
    });
    return await new Promise<string>((resolve, reject) => {
      connection.send({ from, to }, message, (error, info) => (error ? reject(error) : resolve(info.response)));
    });
  } finally {
    connection.quit();
  }
};

/** The reply that a mail is refused with. */
export const refusalOf = async (port: number, mail: OutsideMail): Promise<string> => {
  try {
    await sendMail(port, mail);
  } catch (error) {
    return String((error as { response?: string }).response ?? error);
  }
  throw new Error('The mail was taken.');
};

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;

/**
 * Asks until there is an answer: for what happens after a reply, such as a delivery. The pauses grow, because a key has 300
 * requests a minute, and what a loaded machine is waited for is not to be slowed by the asking.
 */
export const eventually = async <T>(
  ask: () => Promise<T | null | undefined | false>,
  timeoutMs = WAIT_LIMIT_MS,
): Promise<T> => {
  const end = Date.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.1, LONGEST_PAUSE_MS)) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`Not within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
};
