/**
 * Connections of HTTP, drawn from the budget: bounded in all and by network, each with a short time until its first
 * request's header is complete. A connection that only waits, for its first request or its next, gives way to another.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Pool } from '../../budget/budget-pool.ts';
import type { Limit } from '../../budget/occupant.ts';
import { type Clock, type Millis, SECOND } from '../../kernel/clock.ts';
import { hintOf } from '../../kernel/errors.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';

export interface ConnectionLimits {
  pool: Pool;
  /** Networks without a share of their own: reverse proxies, whose connections are their clients'. */
  isExempt: (ip: string) => boolean;
  headerSeconds: number;
  giveWaySeconds: number;
  clock: Clock;
}

/** What an HTTP connection is about to do; its TLS socket, where it has one, is not looked at. */
interface Place {
  /** Null while a request is under way. */
  idleSince: Millis | null;
  requests: number;
}

/** @param isPlain whether a refusal can be said: no TLS handshake would come before it */
export const boundConnections = (server: Server, limits: ConnectionLimits, isPlain: boolean): void => {
  const { pool, isExempt, clock } = limits;
  const giveWayMs = limits.giveWaySeconds * SECOND;
  const places = new Map<string, Place>();

  server.on('connection', (socket: Socket) => {
    const ip = socket.remoteAddress ?? '';
    const place: Place = { idleSince: clock.now(), requests: 0 };
    const lease = pool.open(
      { network: clientNetwork(ip), isExempt: isExempt(ip) },
      {
        evictionRank: () => {
          const idleMs = place.idleSince === null ? -1 : clock.now() - place.idleSince;
          return idleMs >= 0 && idleMs >= giveWayMs ? idleMs : null;
        },
        evict: () => socket.destroy(),
      },
    );
    const limit = lease.grow(1);
    if (limit) {
      refuse(socket, isPlain ? limit : null);
      return;
    }
    const name = formatName(socket);
    places.set(name, place);
    const timer = setTimeout(() => place.requests === 0 && socket.destroy(), limits.headerSeconds * SECOND).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      if (places.get(name) === place) places.delete(name);
      lease.release();
    });
  });

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const place = places.get(formatName(socket));
    if (!place) return;
    place.idleSince = null;
    place.requests += 1;
    response.once('close', () => {
      place.idleSince = clock.now();
    });
  });
};

/** A TLS socket is another object than the one below it, and has its addresses. */
const formatName = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;

const RETRY_AFTER_SECONDS = 10;

const refuse = (socket: Socket, limit: Limit | null): void => {
  socket.on('error', () => undefined);
  if (limit === null) {
    socket.destroy();
    return;
  }
  const hint =
    limit === 'all' ? hintOf('overloaded') : 'Your network has too many connections open. Close some of them.';
  const body = JSON.stringify({ error: 'overloaded', hint });
  socket.write(
    `HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n` +
      `retry-after: ${RETRY_AFTER_SECONDS}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  socket.destroySoon();
};
