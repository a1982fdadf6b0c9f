/**
 * Kept HTTP connections, apart for each pool: what one peer does to its connections is nothing to another's. A
 * connection is used again only while its host still leads to the addresses it was made to.
 */

import http from 'node:http';
import https from 'node:https';
import { SECOND } from '../../kernel/clock.ts';

/** An idle connection is given up after this; servers commonly do so after 5 to 75 s. */
const IDLE_MS = 30 * SECOND;
const MAX_IDLE_OF_POOL = 4;
/** Past it the pool that was used longest ago loses its idle connections. */
const MAX_POOLS = 2_000;

interface Pool {
  agent: http.Agent;
  /** Where its connections lead. */
  target: string;
}

export interface ConnectionPool {
  /** The agent for requests of `pool` to `target`, a text that names protocol, host and addresses. */
  agentOf(pool: string, target: string, protocol: string): http.Agent;
  close(): void;
}

/** Requests under way go on; what is idle is closed, and what becomes idle too. */
const retire = (agent: http.Agent): void => {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
};

export const createConnectionPool = (): ConnectionPool => {
  /** Least recently used first. */
  const pools = new Map<string, Pool>();
  const settings = { keepAlive: true, maxFreeSockets: MAX_IDLE_OF_POOL, timeout: IDLE_MS };
  return {
    agentOf: (name, target, protocol) => {
      const known = pools.get(name);
      pools.delete(name);
      if (known?.target === target) {
        pools.set(name, known);
        return known.agent;
      }
      if (known) retire(known.agent);
      const agent = protocol === 'https:' ? new https.Agent(settings) : new http.Agent(settings);
      pools.set(name, { agent, target });
      const [oldest] = pools.size > MAX_POOLS ? pools : [];
      if (oldest) {
        pools.delete(oldest[0]);
        retire(oldest[1].agent);
      }
      return agent;
    },
    close: () => {
      for (const { agent } of pools.values()) agent.destroy();
      pools.clear();
    },
  };
};
