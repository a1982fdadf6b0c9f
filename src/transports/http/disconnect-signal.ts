/** The disconnection of a caller. */

import type { FastifyReply } from 'fastify';

/** Aborted once the connection has closed before the whole reply was on it. */
export const disconnectSignal = ({ raw }: FastifyReply): AbortSignal => {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort();
  });
  return gone.signal;
};
