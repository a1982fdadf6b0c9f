import type { ServerResponse } from 'node:http';

/**
 * Runs `then` once the whole reply is written or its connection has ended. At once where that was before: a client may
 * disconnect while its request waits for the store, and the event does not come again.
 */
export const onceClosed = (raw: ServerResponse, then: () => void): void => {
  if (raw.closed) then();
  else raw.once('close', then);
};
