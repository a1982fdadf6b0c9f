/** Uploads that stall or trickle, on SMTP and HTTP at once: what they hold must not be missing elsewhere. */

import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import type { Random } from './random.ts';
import type { AgentCaller } from './rest-calls.ts';

export interface SlowTargets {
  readonly smtpPort: number;
  readonly httpPort: number;
  readonly recipient: string;
  readonly callers: readonly AgentCaller[];
}

const quiet = (): undefined => undefined;
/** How long an upload is held, in steps between which a few bytes go out. */
const STEPS = 20;
const STEP_MS = 500;

const hold = async (socket: net.Socket, isDone: () => boolean, random: Random): Promise<void> => {
  const trickles = random.chance(0.5);
  for (let step = 0; step < STEPS && !isDone() && !socket.destroyed; step += 1) {
    await delay(STEP_MS);
    if (trickles && socket.writable) socket.write('x\r\n');
  }
  socket.destroy();
};

const slowMail = async ({ smtpPort, recipient }: SlowTargets, isDone: () => boolean, random: Random): Promise<void> => {
  const socket = net.connect({ host: '127.0.0.1', port: smtpPort });
  socket.on('error', quiet).resume();
  const commands = ['EHLO slow.test', 'MAIL FROM:<slow@remote.test>', `RCPT TO:<${recipient}>`, 'DATA'];
  for (const line of commands) {
    await Promise.race([once(socket, 'data').catch(quiet), delay(2_000)]);
    if (socket.writable) socket.write(`${line}\r\n`);
  }
  const size = random.below(random.pick([10_000, 1_000_000, 26_000_000]));
  if (socket.writable) socket.write(`Subject: slow\r\n\r\n${`${'y'.repeat(998)}\r\n`.repeat(Math.ceil(size / 1_000))}`);
  await hold(socket, isDone, random);
};

const slowRequest = async (
  { httpPort, callers }: SlowTargets,
  isDone: () => boolean,
  random: Random,
): Promise<void> => {
  const socket = tls.connect({ host: '127.0.0.1', port: httpPort, rejectUnauthorized: false });
  socket.on('error', quiet).resume();
  await Promise.race([once(socket, 'secureConnect').catch(quiet), delay(2_000)]);
  const size = random.pick([10_000, 1_000_000, 30_000_000]);
  const length = random.chance(0.7) ? `content-length: ${size}` : 'transfer-encoding: chunked';
  const body = `{"body":"${'z'.repeat(random.below(size))}`;
  const head = [
    `POST ${random.pick(['/v1/messages', '/mcp', '/nosuch'])} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `authorization: Bearer ${random.pick(callers).key}`,
    length,
  ];
  // One that says nothing at all is slow as well.
  if (socket.writable && random.chance(0.9)) {
    const isChunked = length.startsWith('transfer');
    socket.write(`${head.join('\r\n')}\r\n\r\n${isChunked ? `${body.length.toString(16)}\r\n` : ''}${body}`);
  }
  await hold(socket, isDone, random);
};

export const slowUpload = (targets: SlowTargets, isDone: () => boolean, random: Random): Promise<void> =>
  (random.chance(0.5) ? slowMail : slowRequest)(targets, isDone, random);
