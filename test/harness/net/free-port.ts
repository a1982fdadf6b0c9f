import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux gives to outgoing connections: one of those might have the port before it is listened on. */
const LOWEST = 10_240;
const HIGHEST = 32_000;
/**
 * Each process of a run has a block of its own (`scripts/run-tests.ts`): two that chose from all ports at random would now
 * and then choose the same one before either listens on it.
 */
const SLOTS = 8;
const BLOCK = Math.floor((HIGHEST - LOWEST) / SLOTS);
const ownBlock = LOWEST + BLOCK * (Number(process.env.TEST_SLOT ?? 0) % SLOTS);
let next = Math.floor(Math.random() * BLOCK);

/** Whether nothing listens there. */
export const isFree = async (port: number): Promise<boolean> => {
  const server = createServer();
  const listening = once(server, 'listening');
  server.listen(port, '127.0.0.1');
  try {
    await listening;
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
};

/** A TCP port of 127.0.0.1 that was free a moment ago, for what cannot be told to take port 0. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = ownBlock + next;
    next = (next + 1) % BLOCK;
    if (await isFree(port)) return port;
  }
};
