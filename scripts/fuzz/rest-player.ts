/** Sends one request as it is, and reads the reply to its end. */

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import { HANG_MS } from './smtp-player.ts';

export interface Answered {
  /** Null where the connection ended without a reply. */
  status: number | null;
  body: string;
  isStuck: boolean;
}

/**
 * @param isWhole the daemon ends the connection behind its reply; a request that may lack something has to be ended by the
 *   client, which takes the reply from one that is not answered at once
 */
export const sendRequest = async (port: number, request: Buffer, isWhole = false): Promise<Answered> => {
  const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  const chunks: Buffer[] = [];
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = once(socket, 'close').catch(() => undefined);
  socket.once('secureConnect', () => (isWhole ? socket.write(request) : socket.end(request)));
  const late = new AbortController();
  const isStuck = await Promise.race([
    closed.then(() => false),
    delay(HANG_MS, true, { signal: late.signal }).catch(() => true),
  ]);
  late.abort();
  socket.destroy();
  const text = Buffer.concat(chunks).toString('utf8');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  return {
    status: status === undefined ? null : Number(status),
    body: text.slice(text.indexOf('\r\n\r\n') + 4),
    isStuck,
  };
};
