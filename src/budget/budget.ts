/**
 * What outsiders and keys may occupy at once, as one table: connections, bytes, worker time, searches. Whoever serves them
 * draws from it; each resource is shared by network or by workspace and key, and a refusal is told in the log.
 */

import type { Config } from '../config/config.ts';
import type { Clock } from '../kernel/clock.ts';
import { SECOND } from '../kernel/clock.ts';
import { createPool, type Pool } from './budget-pool.ts';
import { descriptorLimit, fitConnections } from './descriptors.ts';
import type { PaceLimits } from './pace.ts';
import { type BudgetLog, createRefusalLog } from './refusal-log.ts';
import { createTurns, type Turns } from './turns.ts';

export interface Budget {
  /** Connections of SMTP and submission, by network. */
  readonly smtpConnections: Pool;
  /** Connections of HTTP, by network. */
  readonly httpConnections: Pool;
  /** Octets of messages that are received or checked, by network. */
  readonly messageBytes: Pool;
  /** Octets of request bodies, by workspace and key; by network before a key is known. */
  readonly bodyBytes: Pool;
  /** The least speed of messages and bodies. */
  readonly pace: PaceLimits;
  /** Full-text searches, by workspace and key. */
  readonly searches: Turns;
  /** Work of one group of worker threads, by network and workspace. */
  workerTurns(group: string, atOnce: number): Turns;
}

export interface BudgetNeeds {
  readonly clock: Clock;
  readonly log: BudgetLog;
}

/** Of a group's threads, how much one network or workspace may have at once; the rest is for others. */
const WORKER_SHARE = 1 / 2;

export const createBudget = (limits: Config['budget'], { clock, log }: BudgetNeeds): Budget => {
  const onRefused = createRefusalLog(log, clock);
  const wanted = { smtp: limits.smtp_connections, http: limits.http_connections };
  const descriptors = descriptorLimit();
  const connections = fitConnections(wanted, descriptors, limits.descriptor_reserve);
  if (connections !== wanted) {
    log.warn(
      { descriptors, reserve: limits.descriptor_reserve, wanted, connections },
      'too few descriptors for the connections of [budget]: raise LimitNOFILE, or take fewer connections',
    );
  }
  /** Of fewer connections a network has as many fewer. */
  const shareOf = (most: number, kind: 'smtp' | 'http') =>
    Math.max(1, Math.floor((most * connections[kind]) / wanted[kind]));
  return {
    smtpConnections: createPool({
      resource: 'smtp connections',
      capacity: connections.smtp,
      shares: { network: shareOf(limits.smtp_connections_per_network, 'smtp') },
      onRefused,
    }),
    httpConnections: createPool({
      resource: 'http connections',
      capacity: connections.http,
      shares: { network: shareOf(limits.http_connections_per_network, 'http') },
      onRefused,
    }),
    messageBytes: createPool({
      resource: 'message bytes',
      capacity: limits.message_bytes,
      shares: { network: limits.message_bytes_per_network },
      onRefused,
    }),
    bodyBytes: createPool({
      resource: 'body bytes',
      capacity: limits.body_bytes,
      shares: {
        network: limits.body_bytes_per_workspace,
        workspace: limits.body_bytes_per_workspace,
        key: limits.body_bytes_per_key,
      },
      onRefused,
    }),
    pace: { leastBytesPerSecond: limits.least_bytes_per_second, windowSeconds: limits.speed_seconds },
    searches: createTurns({
      resource: 'searches',
      atOnce: limits.searches,
      atOnceShares: { workspace: 1, key: 1 },
      waiting: limits.searches_waiting,
      waitingOfOwner: limits.searches_waiting_per_workspace,
      waitMs: limits.search_wait_seconds * SECOND,
      clock,
      onRefused,
    }),
    workerTurns: (group, atOnce) => {
      const share = Math.max(1, Math.floor(atOnce * WORKER_SHARE));
      return createTurns({
        resource: `worker threads (${group})`,
        atOnce,
        atOnceShares: { network: share, workspace: share },
        waiting: limits.tasks_waiting,
        waitingOfOwner: limits.tasks_waiting_per_party,
        waitMs: limits.task_wait_seconds * SECOND,
        clock,
        onRefused,
      });
    },
  };
};
