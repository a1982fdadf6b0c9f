/** The client of the mail benches: plain SMTP without pipelining, the same for all contestants. */

import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';

export interface Load {
  /** Of one server; the sessions go round them. */
  readonly ports: readonly number[];
  readonly from: string;
  readonly to: string;
  readonly mails: readonly Buffer[];
  readonly sessions: number;
  /** Each session sends all its mails over one connection; else each mail has its own. */
  readonly keptConnections: boolean;
}

/** No round takes this long; a server that stopped answering would. */
const TIME_OUT_MS = 120_000;

const dataOf = (mail: Buffer): string =>
  `${mail
    .toString('latin1')
    .replace(/^\./gm, '..')
    .replace(/\r?\n$/, '')}\r\n.\r\n`;

/** Resolves with the code of each reply in turn, its continuation lines left out. */
const createReplies = (socket: Socket): (() => Promise<string>) => {
  const replies: string[] = [];
  const waiting: PromiseWithResolvers<string>[] = [];
  let left = '';
  let ended: Error | null = null;
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    const lines = (left + chunk).split('\r\n');
    left = lines.pop() ?? '';
    for (const line of lines.filter((each) => each[3] !== '-')) {
      const next = waiting.shift();
      if (next) next.resolve(line);
      else replies.push(line);
    }
  });
  const end = (error: Error): void => {
    ended = error;
    for (const each of waiting.splice(0)) each.reject(error);
  };
  socket.once('error', end).once('close', () => end(new Error('The server closed the connection.')));
  return () => {
    const reply = replies.shift();
    if (reply !== undefined) return Promise.resolve(reply);
    if (ended) return Promise.reject(ended);
    const next = Promise.withResolvers<string>();
    waiting.push(next);
    return next.promise;
  };
};

const session = async (
  { from, to, keptConnections }: Load,
  port: number,
  next: () => Buffer | undefined,
  signal: AbortSignal,
) => {
  let mail = next();
  while (mail !== undefined) {
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true, signal });
    try {
      await once(socket, 'connect');
      const reply = createReplies(socket);
      const expect = async (code: string, line?: string): Promise<void> => {
        if (line !== undefined) socket.write(line, 'latin1');
        const got = await reply();
        if (!got.startsWith(code)) throw new Error(`${line?.slice(0, 40).trim() ?? 'The greeting'}: ${got}`);
      };
      await expect('220');
      await expect('250', 'EHLO client.sender.test\r\n');
      while (mail !== undefined) {
        await expect('250', `MAIL FROM:<${from}>\r\n`);
        await expect('250', `RCPT TO:<${to}>\r\n`);
        await expect('354', 'DATA\r\n');
        await expect('250', dataOf(mail));
        mail = next();
        if (!keptConnections) break;
      }
      await expect('221', 'QUIT\r\n');
    } finally {
      socket.destroy();
    }
  }
};

/**
 * Sends the load; resolves once the last mail was accepted, rejects at the first refusal.
 * @returns seconds
 */
export const sendLoad = async (load: Load, signal: AbortSignal): Promise<number> => {
  const mails = load.mails.values();
  const next = () => mails.next().value;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIME_OUT_MS)]);
  const began = performance.now();
  await Promise.all(
    Array.from({ length: load.sessions }, (_, at) =>
      session(load, load.ports[at % load.ports.length] ?? 0, next, limited),
    ),
  );
  return (performance.now() - began) / 1000;
};
