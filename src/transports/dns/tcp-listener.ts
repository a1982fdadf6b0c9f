/** Queries over TCP (RFC 7766): several in a connection, answered in their order. */

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { idleRank, type Pool } from '../../budget/budget-pool.ts';
import { type Clock, type Millis, SECOND } from '../../kernel/clock.ts';
import type { Binding } from '../../net/ip/bindings.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';
import type { Respond } from './dns-server.ts';
import { MAX_QUERY_OCTETS } from './query.ts';

/** RFC 7766 section 6.2.3 asks for seconds. */
const IDLE_MS: Millis = 10 * SECOND;
const CONNECTION_MS: Millis = 60 * SECOND;
/** A resolver sends a few; a client with more connects again. */
const MAX_QUERIES = 100;
/** With all slots taken, a connection that is idle for this long is evicted. */
const EVICTED_AFTER_MS: Millis = SECOND;

export interface TcpNeeds {
  respond: Respond;
  pool: Pool;
  /** Networks without a limit of their own. */
  isExempt: (ip: string) => boolean;
  clock: Clock;
}

export interface TcpListener {
  readonly server: Server;
  close(): Promise<void>;
}

/** Reads length-prefixed queries from a connection and writes their answers, one at a time. */
const serve = async (socket: Socket, answer: (packet: Buffer) => Promise<Buffer | null>): Promise<void> => {
  let buffered: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  let queries = 0;
  // The socket is not read while an answer is made and written, so that a client cannot fill memory.
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    while (buffered.length >= 2) {
      const size = buffered.readUInt16BE(0);
      if (size === 0 || size > MAX_QUERY_OCTETS) return;
      if (buffered.length < size + 2) break;
      const response = await answer(buffered.subarray(2, size + 2));
      buffered = buffered.subarray(size + 2);
      queries += 1;
      if (!response || queries > MAX_QUERIES) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length);
      if (!(await write(socket, Buffer.concat([length, response])))) return;
    }
  }
};

/** @returns whether the client received it, as far as the system's buffer */
const write = (socket: Socket, bytes: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    const end = () => resolve(false);
    socket.once('close', end);
    socket.write(bytes, (error) => {
      socket.off('close', end);
      resolve(!error);
    });
  });

/** @throws the system's error where the address cannot be bound */
export const listenTcp = async (
  { respond, pool, isExempt, clock }: TcpNeeds,
  binding: Binding,
): Promise<TcpListener> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const ip = socket.remoteAddress ?? '';
    let idleSince: Millis | null = clock.now();
    const lease = pool.open(
      { network: clientNetwork(ip), isExempt: isExempt(ip) },
      {
        evictionRank: () => idleRank(clock, idleSince, EVICTED_AFTER_MS),
        evict: () => socket.destroy(),
      },
    );
    socket.on('error', () => socket.destroy());
    if (lease.grow(1) !== null) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    const timer = setTimeout(() => socket.destroy(), CONNECTION_MS).unref();
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(timer);
      sockets.delete(socket);
      lease.release();
    });
    const answer = async (packet: Buffer): Promise<Buffer | null> => {
      idleSince = null;
      const response = await respond(packet, { ip, transport: 'tcp' });
      idleSince = clock.now();
      return response;
    };
    serve(socket, answer).then(
      () => socket.destroySoon(),
      () => socket.destroy(),
    );
  });
  await once(server.listen(binding), 'listening');
  return {
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
