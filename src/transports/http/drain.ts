/** Closes an HTTP server: answers requests in flight, ends idle connections at once. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Millis, SECOND } from '../../kernel/clock.ts';
import { inTurn } from './connections.ts';

/** Longer than any operation that has no abort signal. */
const DRAIN_MS: Millis = 15 * SECOND;

/**
 * @param app before it listens
 * @returns closes the server. Node's own close waits for connections that have had no request. It also waits for those
 * with a request in flight: after the answer their clients keep them open.
 */
export const drainable = (app: FastifyInstance): (() => Promise<void>) => {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const inFlight = new Set<ServerResponse>();
  app.server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
    inTurn(response, () => {
      inFlight.add(response);
      response.once('close', () => inFlight.delete(response));
    });
  });
  return async () => {
    const closed = app.close();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    for (const response of inFlight) {
      if (response.headersSent) response.once('finish', () => response.req.socket.destroySoon());
      else response.setHeader('connection', 'close');
    }
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, DRAIN_MS);
    try {
      await closed;
    } finally {
      clearTimeout(timer);
    }
  };
};
