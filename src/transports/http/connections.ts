/**
 * Budgets HTTP connections: bounded in total and per network, with a short time for the first request's header. An
 * idle connection is evicted for a new one; where none is idle, a long request without a key or session; then one of the
 * workspace that has the most.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LISTENERS_PER_KEY } from '../../budget/budget.ts';
import { idleRank, type Pool } from '../../budget/budget-pool.ts';
import { createPartyCounts } from '../../budget/party-counts.ts';
import type { Limit } from '../../budget/quota-subject.ts';
import { type Clock, type Millis, SECOND } from '../../kernel/clock.ts';
import { hintOf } from '../../kernel/errors.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';
import { onceClosed } from './once-closed.ts';

export interface ConnectionLimits {
  pool: Pool;
  /** Networks without a limit of their own: reverse proxies carry their clients' connections. */
  isExempt: (ip: string) => boolean;
  headerSeconds: number;
  giveWaySeconds: number;
  clock: Clock;
}

/** The state of an HTTP connection; a TLS socket above it is not considered. */
interface Place {
  isIdle: boolean;
  /** Of the idle time, or of the request in progress. */
  since: Millis;
  requests: number;
  /** Requests that wait for the replies before them. */
  pipelined: number;
  /** Of the authenticated request in progress; null: none. */
  workspace: string | null;
}

/** Streams and waits that a workspace keeps, however many others come: a key's. */
const KEPT_OF_WORKSPACE = LISTENERS_PER_KEY;

/** Requests that a connection sends ahead of their replies; each costs some kilobytes. */
const MAX_PIPELINED = 100;

/**
 * Runs `then` once the replies before this one are sent: pipelined requests take turns (RFC 9112 section 9.3.2), for
 * the reply of one that ran ahead would wait in memory, and is not told that its connection has ended. Never runs where
 * the connection ends before.
 */
export const inTurn = (response: ServerResponse, then: () => void): void => {
  if (response.socket) then();
  else response.once('socket', () => then());
};

/** Counts a request that is authenticated to its workspace, until its response has ended. */
export type HoldConnection = (response: ServerResponse, workspace: string) => void;

/** @param isPlain whether a refusal can be sent at once, because no TLS handshake precedes it */
export const boundConnections = (server: Server, limits: ConnectionLimits, isPlain: boolean): HoldConnection => {
  const { pool, isExempt, clock } = limits;
  const giveWayMs = limits.giveWaySeconds * SECOND;
  const places = new Map<string, Place>();
  const counts = createPartyCounts({ workspace: KEPT_OF_WORKSPACE });

  /** Below every idle connection. Nothing takes long without a workspace; else, the more its workspace holds, the higher. */
  const busyRank = ({ workspace, since }: Place): number | null => {
    if (clock.now() - since < giveWayMs) return null;
    if (workspace === null) return -1 / Number.MAX_SAFE_INTEGER;
    const [ofWorkspace] = counts.of({ workspace });
    return ofWorkspace && ofWorkspace.used > ofWorkspace.share ? -1 / ofWorkspace.used : null;
  };

  server.on('connection', (socket: Socket) => {
    const ip = socket.remoteAddress ?? '';
    const place: Place = { isIdle: true, since: clock.now(), requests: 0, pipelined: 0, workspace: null };
    const lease = pool.open(
      { network: clientNetwork(ip), isExempt: isExempt(ip) },
      {
        evictionRank: (limit) =>
          place.isIdle ? idleRank(clock, place.since, giveWayMs) : limit === 'all' ? busyRank(place) : null,
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
    const turn = (isIdle: boolean): void => void Object.assign(place, { isIdle, since: clock.now() });
    place.requests += 1;
    place.pipelined += 1;
    inTurn(response, () => {
      place.pipelined -= 1;
      turn(false);
      response.once('close', () => turn(true));
    });
    if (place.pipelined > MAX_PIPELINED) socket.destroy();
  });

  return (response, workspace) => {
    const place = response.socket && places.get(formatName(response.socket));
    if (!place || place.workspace !== null) return;
    place.workspace = workspace;
    counts.change({ workspace }, 1);
    onceClosed(response, () => {
      place.workspace = null;
      counts.change({ workspace }, -1);
    });
  };
};

/** A TLS socket is another object than the socket below it, with the same addresses. */
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
