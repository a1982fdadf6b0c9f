/** Closes an HTTP server: answers requests in flight, ends idle connections at once. */

import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Millis, SECOND } from '../../kernel/clock.ts';

/** Longer than any operation that has no abort signal. */
const DRAIN_MS: Millis = 15 * SECOND;

/**
 * @param app before it listens
 * @returns closes the server. Node's own close waits for connections without any request, which count neither as idle
 * nor as ended.
 */
export const drainable = (app: FastifyInstance): (() => Promise<void>) => {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return async () => {
    const closed = app.close();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
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
