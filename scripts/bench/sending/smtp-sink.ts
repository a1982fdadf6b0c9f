/** The receiver of the outbound bench: Postfix's smtp-sink, which takes everything and keeps nothing. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../test/harness/net/free-port.ts';

const BACKLOG = 1_000;
const POLL_MS = 20;
const READY_WITHIN_MS = 5_000;

export interface SmtpSink extends AsyncDisposable {
  readonly port: number;
  /** Mails that it has taken since it started. */
  taken(): number;
}

const hasStarted = async (port: number): Promise<boolean> => {
  const socket = net.connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
};

/** @param port left out: a free one */
export const startSmtpSink = async (port?: number): Promise<SmtpSink> => {
  const own = port ?? (await freePort());
  // As root it needs another user to run as; -c counts, in place, what it has seen.
  const sink = spawn('smtp-sink', ['-u', 'nobody', '-c', `127.0.0.1:${own}`, `${BACKLOG}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  // Told where it does not answer.
  sink.on('error', () => undefined);
  let taken = 0;
  sink.stdout.setEncoding('utf8').on('data', (text: string) => {
    taken = Number(/.*mesg=(\d+)/s.exec(text)?.[1] ?? taken);
  });
  const end = performance.now() + READY_WITHIN_MS;
  while (!(await hasStarted(own))) {
    if (performance.now() > end) throw new Error('smtp-sink did not start; scripts/test-deps installs it.');
    await sleep(POLL_MS);
  }
  return {
    port: own,
    taken: () => taken,
    [Symbol.asyncDispose]: async () => {
      const closed = once(sink, 'close');
      sink.kill('SIGKILL');
      await closed;
    },
  };
};
