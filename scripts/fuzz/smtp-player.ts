/** Plays a session against the daemon and says whether the daemon let go of it in time. */

import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import type { SmtpStep } from './smtp-sessions.ts';

/** What waits for a reply that need not come waits no longer. */
const PATIENCE_MS = 200;
/** Once the client has ended its side, all that is under way has so long. */
export const HANG_MS = 10_000;

const quiet = (): undefined => undefined;

/** @returns null where no TLS came of it; the client then ends the bare connection */
const withTls = async (socket: net.Socket): Promise<tls.TLSSocket | null> => {
  socket.removeAllListeners('data');
  const secured = tls.connect({ socket, rejectUnauthorized: false });
  secured.on('error', quiet);
  const outcomes = [once(secured, 'secureConnect'), once(secured, 'close')].map((event) => event.catch(quiet));
  await Promise.race([...outcomes, delay(PATIENCE_MS * 10)]);
  if (secured.getProtocol() !== null) return secured;
  // Resumed, so that the daemon's end of the connection is seen.
  socket.resume();
  return null;
};

export interface Played {
  /** The replies, as far as they came. */
  replies: string;
  /** Whether the connection was still open so long after the client ended it. */
  isStuck: boolean;
}

export const playSession = async (port: number, steps: readonly SmtpStep[]): Promise<Played> => {
  let socket: net.Socket = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  const plain = socket;
  let replies = '';
  let wake: (() => void) | null = null;
  const listen = (to: net.Socket): void => {
    to.on('error', quiet);
    to.on('data', (chunk: Buffer) => {
      replies += chunk.toString('latin1');
      wake?.();
    });
  };
  let isClosed = false;
  plain.once('close', () => {
    isClosed = true;
    wake?.();
  });
  listen(socket);
  const somethingComes = async (patience = PATIENCE_MS): Promise<void> => {
    if (isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    const timer = setTimeout(resolve, patience);
    await promise;
    clearTimeout(timer);
    wake = null;
  };

  await somethingComes(HANG_MS);
  for (const step of steps) {
    if (isClosed || !socket.writable) break;
    const before = replies.length;
    socket.write(step.bytes);
    if (step.waits) await somethingComes();
    if (step.tls && /^220/m.test(replies.slice(before)) && !isClosed) {
      const secured = await withTls(socket);
      if (!secured) break;
      socket = secured;
      listen(socket);
    }
  }
  socket.end();
  const closed = isClosed ? null : once(plain, 'close').catch(quiet);
  const late = new AbortController();
  const isStuck =
    closed !== null &&
    (await Promise.race([closed.then(() => false), delay(HANG_MS, true, { signal: late.signal }).catch(() => true)]));
  late.abort();
  socket.destroy();
  plain.destroy();
  return { replies, isStuck };
};
