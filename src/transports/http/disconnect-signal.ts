import type { FastifyReply } from 'fastify';
import { onceClosed } from './once-closed.ts';

/** Aborted when the connection closes before the whole reply is written. */
export const disconnectSignal = ({ raw }: FastifyReply): AbortSignal => {
  const gone = new AbortController();
  onceClosed(raw, () => {
    if (!raw.writableFinished) gone.abort();
  });
  return gone.signal;
};
