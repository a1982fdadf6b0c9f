/** Limits per client over all SMTP listeners: connections and message memory from the budget, messages and recipients per minute. */

import { createRateLimit } from '../../access/rate-limit.ts';
import type { Budget } from '../../budget/budget.ts';
import { type Holder, idleRank, type Lease, slownessRank } from '../../budget/budget-pool.ts';
import type { PaceLimits } from '../../budget/pace.ts';
import type { Limit, QuotaSubject } from '../../budget/quota-subject.ts';
import type { Config } from '../../config/config.ts';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, DAY, HOUR, type Millis, SECOND } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';
import { cidrMatcher } from '../../net/ip/address-range.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';

export type SmtpLimits = Config['smtp']['limits'];

/** An open connection that counts against the budget. */
export interface CountedConnection {
  readonly remoteAddress: string;
  /** A proxy's connection before its PROXY header: counted in total, not per network. */
  readonly isProxy?: boolean;
  /** Epoch milliseconds since which a command is due; null while one is processed or a message is received. */
  readonly idleSince: number | null;
  /** The message that is being received; null between messages. */
  readonly incoming?: IncomingMessage | null;
  /** Ends the connection in favour of a new one. */
  evict(): void;
}

/** A message that is being received. */
export interface IncomingMessage {
  readonly remoteAddress: string;
  /** Epoch milliseconds. */
  readonly since: Millis;
  /** Octets so far; null once it is complete. */
  readonly received: number | null;
  /** Ends its connection; its memory goes to another message. */
  evict(): void;
}

/** The memory reserved for one message. */
export interface Reservation {
  /** @returns why the bytes are refused, in which case none is reserved; null where they are reserved */
  grow(bytes: number): SmtpError | null;
  release(): void;
}

export interface ClientLimits {
  isTrusted(ip: string): boolean;
  /** The shares of the budget that a client's use counts against. */
  quotaSubjectAt(ip: string): QuotaSubject;
  /** @throws SmtpError 421 where the connection exceeds a limit */
  openConnection(connection: CountedConnection): void;
  /** May be called again. */
  closeConnection(connection: CountedConnection): void;
  /** @throws SmtpError 450 where the network exceeds its messages per minute */
  countMessage(ip: string): void;
  /** @throws SmtpError 450 where the network exceeds its recipients per minute */
  countRecipient(ip: string): void;
  /** Marks a network for an hour as one that sent input before the greeting; a refused client may retry correctly. */
  noteEarlyTalker(ip: string): void;
  isEarlyTalker(ip: string): boolean;
  /** Marks a network for a day as one that waited for the greeting and delivered a mail. */
  noteDelivery(ip: string): void;
  /** Whether the wait that detects early talkers is left out. */
  isGreetedAtOnce(ip: string): boolean;
  /** @throws SmtpError 452 where a message of `bytes` would exceed the message memory */
  requireMemory(ip: string, bytes: number): void;
  reserve(message: IncomingMessage): Reservation;
  /** The minimum transfer rate of a message. */
  readonly pace: PaceLimits;
}

export interface ClientLimitsNeeds {
  budget: Pick<Budget, 'smtpConnections' | 'messageBytes' | 'pace'>;
  /** Seconds for which a connection is idle, or a message is received, before it may be evicted. */
  evictAfterSeconds: number;
  clock: Clock;
}

/** Networks in memory that have delivered; past it the oldest are dropped. */
const MAX_DELIVERED = 50_000;

const fromNetwork = (code: number, enhanced: string, text: string) =>
  new SmtpError({ code, enhanced, text: `Too many ${text} from your network, try again later` });

const toMemoryRefusal = (limit: Limit): SmtpError =>
  limit === 'network'
    ? fromNetwork(452, '4.3.1', 'messages at once')
    : new SmtpError({ code: 452, enhanced: '4.3.1', text: 'Too many messages at once, try again later' });

export const createClientLimits = (
  limits: SmtpLimits,
  trusted: readonly string[],
  { budget, evictAfterSeconds, clock }: ClientLimitsNeeds,
): ClientLimits => {
  const { smtpConnections, messageBytes, pace } = budget;
  const isTrusted = cidrMatcher(trusted);
  /** Caches the last quota subject: it is read several times per message, mostly for one client in a row. */
  let latest: { ip: string; quotaSubject: QuotaSubject } | null = null;
  const quotaSubjectAt = (ip: string): QuotaSubject => {
    if (latest?.ip !== ip) latest = { ip, quotaSubject: { network: clientNetwork(ip), isExempt: isTrusted(ip) } };
    return latest.quotaSubject;
  };
  const evictAfterMs = evictAfterSeconds * SECOND;
  const leases = new Map<CountedConnection, Lease>();
  const messages = createRateLimit(clock, limits.messages_per_minute_per_ip);
  const recipients = createRateLimit(clock, limits.recipients_per_minute_per_ip);
  const earlyTalkers = createRateLimit(clock, 1, HOUR);
  const delivered = new BoundedMap<string, Millis>(MAX_DELIVERED);

  const closeConnection = (connection: CountedConnection): void => {
    leases.get(connection)?.release();
    leases.delete(connection);
  };
  const slowRank = ({ received, since }: IncomingMessage): number | null =>
    slownessRank(clock, since, received, evictAfterMs);
  /** Evicts the longest idle first; with the connections of all networks taken, then the slowest incomplete message. */
  const connectionHolder = (connection: CountedConnection): Holder => ({
    evictionRank: (limit) =>
      idleRank(clock, connection.idleSince, evictAfterMs) ??
      (limit === 'all' && connection.incoming ? slowRank(connection.incoming) : null),
    evict: () => {
      closeConnection(connection);
      connection.evict();
    },
  });
  /** Evicts the slowest incomplete message first. */
  const memoryHolder = (message: IncomingMessage): Holder => ({
    evictionRank: () => slowRank(message),
    evict: () => message.evict(),
  });
  return {
    isTrusted,
    quotaSubjectAt,
    openConnection: (connection) => {
      const quotaSubject = connection.isProxy ? { isExempt: true } : quotaSubjectAt(connection.remoteAddress);
      const lease = smtpConnections.open(quotaSubject, connectionHolder(connection));
      const limit = lease.grow(1);
      if (limit === 'network') throw fromNetwork(421, '4.7.0', 'connections');
      if (limit) throw new SmtpError({ code: 421, enhanced: '4.3.2', text: 'Too many connections, try again later' });
      leases.set(connection, lease);
    },
    closeConnection,
    countMessage: (ip) => {
      if (isTrusted(ip) || messages.take(clientNetwork(ip)).allowed) return;
      throw fromNetwork(450, '4.7.1', 'messages');
    },
    countRecipient: (ip) => {
      if (isTrusted(ip) || recipients.take(clientNetwork(ip)).allowed) return;
      throw fromNetwork(450, '4.7.1', 'recipients');
    },
    noteEarlyTalker: (ip) => {
      earlyTalkers.take(clientNetwork(ip));
      delivered.delete(clientNetwork(ip));
    },
    isEarlyTalker: (ip) => !earlyTalkers.peek(clientNetwork(ip)).allowed,
    noteDelivery: (ip) => void delivered.set(clientNetwork(ip), clock.now()),
    isGreetedAtOnce: (ip) => {
      const agoMs = clock.now() - (delivered.get(clientNetwork(ip)) ?? Number.NEGATIVE_INFINITY);
      return agoMs >= 0 && agoMs < DAY;
    },
    requireMemory: (ip, bytes) => {
      const limit = messageBytes.wouldExceed(quotaSubjectAt(ip), bytes);
      if (limit) throw toMemoryRefusal(limit);
    },
    reserve: (message) => {
      const lease = messageBytes.open(quotaSubjectAt(message.remoteAddress), memoryHolder(message));
      return {
        grow: (bytes) => {
          const limit = lease.grow(bytes);
          return limit && toMemoryRefusal(limit);
        },
        release: () => lease.release(),
      };
    },
    pace,
  };
};
