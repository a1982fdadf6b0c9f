/** A receiving host that says what a test wants it to say, tells how far its clients have come, and may hold a reply. */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Where a client is: a command by its verb, `BODY` within the message, `END` behind its final dot, `AFTER` the reply to that. */
export type Step = 'CONNECT' | 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | 'BODY' | 'END' | 'AFTER' | 'RSET' | 'QUIT';

/** A reply without its end of line, `close` to break off; left out: what a host that takes everything says. */
export type Said = string | 'close' | undefined;

export interface ScriptedHostOptions {
  /** Asked at each step; a promise holds the reply. */
  readonly at?: (step: Step, line: string) => Said | Promise<Said>;
  /** Keywords of the EHLO reply. */
  readonly extensions?: readonly string[];
  /** An address of loopback. */
  readonly address?: string;
  readonly port?: number;
}

export interface ScriptedHost extends AsyncDisposable {
  readonly port: number;
  /** Every message that came with its final dot. */
  readonly messages: string[];
  /** Every command, in order. */
  readonly lines: string[];
  connections(): number;
  /** The most sessions at a time. One ends with its QUIT. */
  mostSessions(): number;
  /** The addresses that clients came from. */
  readonly clients: Set<string>;
}

const usual = (step: Step, extensions: readonly string[]): string => {
  if (step === 'CONNECT') return '220 scripted.test';
  if (step === 'EHLO')
    return ['250-scripted.test', ...extensions.map((each) => `250-${each}`), '250 HELP'].join('\r\n');
  if (step === 'DATA') return '354 Go on';
  return step === 'QUIT' ? '221 2.0.0 Bye' : '250 2.0.0 OK';
};

const isStep = (verb: string): verb is Step => /^(EHLO|MAIL|RCPT|DATA|RSET|QUIT)$/.test(verb);

export const startScriptedHost = async (options: ScriptedHostOptions = {}): Promise<ScriptedHost> => {
  const { at = () => undefined, extensions = [], address = '127.0.0.1', port = 0 } = options;
  const sockets = new Set<Socket>();
  const messages: string[] = [];
  const lines: string[] = [];
  const clients = new Set<string>();
  let connections = 0;
  let sessions = 0;
  let most = 0;

  const serve = async (socket: Socket): Promise<void> => {
    /** @returns whether the connection goes on */
    const say = async (step: Step, line: string, isSaid = true): Promise<boolean> => {
      const said = await at(step, line);
      if (said === 'close') socket.destroy();
      else if (isSaid && !socket.destroyed) socket.write(`${said ?? usual(step, extensions)}\r\n`);
      return !socket.destroyed;
    };
    let message: string[] | null = null;
    let buffered = '';
    await say('CONNECT', '');
    for await (const chunk of socket) {
      const rows = (buffered + (chunk as Buffer).toString('latin1')).split('\r\n');
      buffered = rows.pop() ?? '';
      for (const row of rows) {
        if (message === null) {
          lines.push(row);
          const verb = row.split(' ')[0] ?? '';
          if (!isStep(verb)) socket.write('500 5.5.2 What\r\n');
          else if (!(await say(verb, row))) return;
          if (verb === 'QUIT') socket.end();
          if (verb === 'DATA') message = [];
        } else if (row === '.') {
          messages.push(message.join('\r\n'));
          message = null;
          if (!(await say('END', row)) || !(await say('AFTER', row, false))) return;
        } else {
          message.push(row);
          if (message.length === 1 && !(await say('BODY', row, false))) return;
        }
      }
    }
  };

  const server = createServer((socket) => {
    connections += 1;
    sessions += 1;
    most = Math.max(most, sessions);
    sockets.add(socket);
    clients.add(socket.remoteAddress ?? '');
    // A client that breaks off is what many tests are about.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      sessions -= 1;
    });
    serve(socket).catch(() => undefined);
  });
  server.listen(port, address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    messages,
    lines,
    clients,
    connections: () => connections,
    mostSessions: () => most,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
