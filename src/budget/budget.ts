/**
 * The resources that clients and keys may use at once, in one table: connections, bytes, worker time, searches. Each is
 * shared per network, or per workspace and key; refusals are logged.
 */

import type { Config } from '../config/config.ts';
import { type Clock, MINUTE, SECOND } from '../kernel/clock.ts';
import { createPool, type Pool } from './budget-pool.ts';
import { descriptorLimit, fitConnections } from './descriptors.ts';
import { createFairQueue, type FairQueue, type FairQueueSettings } from './fair-queue.ts';
import { machineMemory } from './machine-memory.ts';
import type { PaceLimits } from './pace.ts';
import type { Shares } from './quota-subject.ts';
import { type BudgetLog, createRefusalLog } from './refusal-log.ts';

/** As the worker pool names them: inbound mail, calls, and large or suspect tasks. */
export type WorkerGroup = 'mail' | 'calls' | 'apart';

export interface Budget {
  /** Connections of SMTP and submission, per network. */
  readonly smtpConnections: Pool;
  /** Connections of HTTP, per network. */
  readonly httpConnections: Pool;
  /** Connections of DNS over TCP, per network. */
  readonly dnsConnections: Pool;
  /** Octets of messages being received or verified, per network. */
  readonly messageBytes: Pool;
  /** Octets of request bodies, per workspace and key. */
  readonly bodyBytes: Pool;
  /** Octets of request bodies without authentication, per network: at most a quarter of the pool for callers. */
  readonly anonymousBodyBytes: Pool;
  /** Waits and event streams that one key holds open: each takes memory and a connection. */
  readonly listeners: Pool;
  /** Event streams of the console, per owner. */
  readonly consoleStreams: Pool;
  /** MCP requests under way, open subscriptions among them, per key or grant. */
  readonly mcpRequests: Pool;
  /** MCP sessions of the earlier revisions, per key. */
  readonly mcpSessions: Pool;
  /** Minimum transfer rate of messages and bodies. */
  readonly pace: PaceLimits;
  /** Full-text searches, per workspace and key. */
  readonly searches: FairQueue;
  /** Signups, which make DKIM keys on the threads for compression and look-ups; per network. */
  readonly signups: FairQueue;
  /** Checks of domains, which may have silent name servers; per workspace. */
  readonly domainChecks: FairQueue;
  /** Fetches of pages for the knowledge base from servers that may be slow; per workspace. */
  readonly crawls: FairQueue;
  /** Tasks of one group of worker threads, per network and workspace. */
  workerQueue(group: WorkerGroup, atOnce: number): FairQueue;
}

export interface BudgetNeeds {
  readonly clock: Clock;
  readonly log: BudgetLog;
  /** Octets; left out, the machine's. */
  readonly memory?: number;
}

export const LISTENERS_PER_KEY = 20;
/** One stream for each open tab, with some to spare: a closed tab is noticed late. */
export const CONSOLE_STREAMS_PER_OWNER = 30;
export const MCP_REQUESTS_PER_KEY = 64;
/** An agent has one or two at a time; a client that begins one for each call is held to this many. */
export const MCP_SESSIONS_PER_KEY = 32;
/** A session costs some 11 KB. */
const MCP_SESSIONS = 4_096;
/** Share of the body octets that requests without authentication may hold together. */
const ANONYMOUS_SHARE = 1 / 4;
/** Share of the machine's memory that messages, and bodies, may be: each is held several times while it is worked on. */
const MEMORY_SHARE = 1 / 8;
/** Share of a group's threads that one network or workspace may use at once. */
const WORKER_SHARE = 1 / 2;

/** @param least the largest message or body is taken on any machine */
const fitMemory = (configured: number, least: number, memory: number): number =>
  Math.min(configured, Math.max(least, Math.floor(memory * MEMORY_SHARE)));

export const createBudget = (
  limits: Config['budget'],
  { clock, log, memory = machineMemory() }: BudgetNeeds,
): Budget => {
  const onRefused = createRefusalLog(log, clock);
  const configured = { smtp: limits.smtp_connections, http: limits.http_connections };
  const descriptors = descriptorLimit();
  const connections = fitConnections(configured, descriptors, limits.descriptor_reserve);
  if (connections !== configured) {
    log.warn(
      { descriptors, reserve: limits.descriptor_reserve, configured, connections },
      'too few descriptors for the connections of [budget]: raise LimitNOFILE, or take fewer connections',
    );
  }
  /** Scales a network's share with the number of connections. */
  const scaleShare = (most: number, kind: 'smtp' | 'http') =>
    Math.max(1, Math.floor((most * connections[kind]) / configured[kind]));
  const messageOctets = fitMemory(limits.message_bytes, limits.message_bytes_per_network, memory);
  const bodyOctets = fitMemory(limits.body_bytes, limits.body_bytes_per_key, memory);
  const pool = (resource: string, capacity: number, shares: Shares) =>
    createPool({ resource, capacity, shares, onRefused });
  const perKey = (resource: string, most: number, capacity = Number.POSITIVE_INFINITY) =>
    pool(resource, capacity, { key: most });
  const queue = (settings: Omit<FairQueueSettings, 'clock' | 'onRefused'>) =>
    createFairQueue({ ...settings, clock, onRefused });
  return {
    listeners: perKey('waits and event streams', LISTENERS_PER_KEY),
    consoleStreams: perKey('console event streams', CONSOLE_STREAMS_PER_OWNER),
    mcpRequests: perKey('mcp requests', MCP_REQUESTS_PER_KEY),
    mcpSessions: perKey('mcp sessions', MCP_SESSIONS_PER_KEY, MCP_SESSIONS),
    smtpConnections: pool('smtp connections', connections.smtp, {
      network: scaleShare(limits.smtp_connections_per_network, 'smtp'),
    }),
    httpConnections: pool('http connections', connections.http, {
      network: scaleShare(limits.http_connections_per_network, 'http'),
    }),
    dnsConnections: pool('dns connections', limits.dns_connections, { network: limits.dns_connections_per_network }),
    messageBytes: pool('message bytes', messageOctets, {
      network: limits.message_bytes_per_network,
    }),
    bodyBytes: pool('body bytes', bodyOctets, {
      workspace: limits.body_bytes_per_workspace,
      key: limits.body_bytes_per_key,
    }),
    anonymousBodyBytes: pool('body bytes without authentication', limits.body_bytes * ANONYMOUS_SHARE, {
      network: limits.body_bytes * ANONYMOUS_SHARE * ANONYMOUS_SHARE,
    }),
    pace: { leastBytesPerSecond: limits.least_bytes_per_second, windowSeconds: limits.speed_seconds },
    searches: queue({
      resource: 'searches',
      atOnce: limits.searches,
      atOnceShares: { workspace: 1, key: 1 },
      waiting: limits.searches_waiting,
      waitingPerTenant: limits.searches_waiting_per_workspace,
      waitMs: limits.search_wait_seconds * SECOND,
    }),
    signups: queue({
      resource: 'signups',
      atOnce: 1,
      atOnceShares: {},
      waiting: 30,
      waitingPerTenant: 10,
      waitMs: 30 * SECOND,
    }),
    domainChecks: queue({
      resource: 'domain checks',
      atOnce: 16,
      atOnceShares: { workspace: 4 },
      waiting: 200,
      waitingPerTenant: 20,
      waitMs: 30 * SECOND,
    }),
    crawls: queue({
      resource: 'crawls',
      atOnce: 8,
      atOnceShares: { workspace: 2 },
      waiting: 1_000,
      waitingPerTenant: 100,
      waitMs: 10 * MINUTE,
    }),
    workerQueue: (group, atOnce) => {
      const share = Math.max(1, Math.floor(atOnce * WORKER_SHARE));
      return queue({
        resource: `worker threads (${group})`,
        atOnce,
        atOnceShares: { network: share, workspace: share },
        // A mail may wait 30 s for DNS: those of many networks leave a slot to callers.
        atOnceOfNetworks: Math.max(1, atOnce - 1),
        waiting: group === 'mail' ? limits.messages_waiting : limits.tasks_waiting,
        waitingPerTenant: limits.tasks_waiting_per_party,
        octets: messageOctets + bodyOctets,
        octetsPerTenant: Math.max(limits.body_bytes_per_workspace, limits.message_bytes_per_network),
        waitMs: limits.task_wait_seconds * SECOND,
      });
    },
  };
};
