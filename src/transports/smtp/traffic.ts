/** What SMTP counts over all its listeners: connections and bytes under way, drawn from the budget; messages a minute. */

import { createRateLimit } from '../../access/rate-limit.ts';
import type { Budget } from '../../budget/budget.ts';
import type { Holder, Lease } from '../../budget/budget-pool.ts';
import type { Limit, Occupant } from '../../budget/occupant.ts';
import type { PaceLimits } from '../../budget/pace.ts';
import type { Config } from '../../config/config.ts';
import { type Clock, HOUR, SECOND } from '../../kernel/clock.ts';
import { SmtpError } from '../../kernel/errors.ts';
import { cidrMatcher } from '../../net/ip/address-range.ts';
import { clientNetwork } from '../../net/ip/client-network.ts';

export type SmtpLimits = Config['smtp']['limits'];

/** An open connection, as the budget sees it. */
export interface Visitor {
  readonly remoteAddress: string;
  /** Of a proxy that has not named its client yet: counted in all, and to no network. */
  readonly isProxy?: boolean;
  /** Since when the client owes a command; null while it is served or sends a message. */
  readonly idleSince: number | null;
  /** Ends the connection: another needs its place. */
  evict(): void;
}

/** A message that is coming in. */
export interface Incoming {
  readonly remoteAddress: string;
  /** Octets so far; null once it is whole. */
  readonly received: number | null;
  /** Ends it: another needs its memory. */
  evict(): void;
}

/** The memory of one message. */
export interface Reservation {
  /** @returns why there is no room for so much more, in which case nothing is taken; null where it is taken */
  grow(bytes: number): SmtpError | null;
  release(): void;
}

export interface Traffic {
  isTrusted(ip: string): boolean;
  /** In whose share of the budget a client is. */
  occupantAt(ip: string): Occupant;
  /** @throws SmtpError 421 where a connection is one too many */
  authenticateRequest(visitor: Visitor): void;
  leave(visitor: Visitor): void;
  /** @throws SmtpError 450 where the network has sent enough for this minute */
  countMessage(ip: string): void;
  countRecipient(ip: string): void;
  /** Remembers a client that spoke before the greeting; refused then, it comes again better behaved. */
  noteEarlyTalker(ip: string): void;
  isEarlyTalker(ip: string): boolean;
  /** @throws SmtpError 452 where a message of so many bytes would find no room */
  requireRoom(ip: string, bytes: number): void;
  reserve(message: Incoming): Reservation;
  /** The least speed of a message. */
  readonly pace: PaceLimits;
}

export interface TrafficNeeds {
  budget: Pick<Budget, 'smtpConnections' | 'messageBytes' | 'pace'>;
  /** How long a connection is idle, or a message under way, before it makes room for another. */
  giveWaySeconds: number;
  clock: Clock;
}

const fromNetwork = (code: number, enhanced: string, text: string) =>
  new SmtpError({ code, enhanced, text: `Too many ${text} from your network, try again later` });

const noRoom = (limit: Limit): SmtpError =>
  limit === 'network'
    ? fromNetwork(452, '4.3.1', 'messages at once')
    : new SmtpError({ code: 452, enhanced: '4.3.1', text: 'Too many messages at once, try again later' });

export const createTraffic = (
  limits: SmtpLimits,
  trusted: readonly string[],
  { budget, giveWaySeconds, clock }: TrafficNeeds,
): Traffic => {
  const { smtpConnections, messageBytes, pace } = budget;
  const isTrusted = cidrMatcher(trusted);
  /** Asked several times for each message, mostly for one client in a row. */
  let latest: { ip: string; occupant: Occupant } | null = null;
  const occupantAt = (ip: string): Occupant => {
    if (latest?.ip !== ip) latest = { ip, occupant: { network: clientNetwork(ip), isExempt: isTrusted(ip) } };
    return latest.occupant;
  };
  const giveWayMs = giveWaySeconds * SECOND;
  const places = new Map<Visitor, Lease>();
  const messages = createRateLimit(clock, limits.messages_per_minute_per_ip);
  const recipients = createRateLimit(clock, limits.recipients_per_minute_per_ip);
  const earlyTalkers = createRateLimit(clock, 1, HOUR);

  const leave = (visitor: Visitor): void => {
    places.get(visitor)?.release();
    places.delete(visitor);
  };
  /** The longest idle first. */
  const placeHolder = (visitor: Visitor): Holder => ({
    evictionRank: () => {
      const idleMs = visitor.idleSince === null ? -1 : clock.now() - visitor.idleSince;
      return idleMs >= 0 && idleMs >= giveWayMs ? idleMs : null;
    },
    evict: () => {
      leave(visitor);
      visitor.evict();
    },
  });
  /** The slowest first, of those that are not whole. */
  const memoryHolder = (message: Incoming): Holder => {
    const began = clock.now();
    return {
      evictionRank: () => {
        const forMs = clock.now() - began;
        return message.received === null || forMs < giveWayMs ? null : -message.received / Math.max(forMs, 1);
      },
      evict: () => message.evict(),
    };
  };
  return {
    isTrusted,
    occupantAt,
    authenticateRequest: (visitor) => {
      const occupant = visitor.isProxy ? { isExempt: true } : occupantAt(visitor.remoteAddress);
      const lease = smtpConnections.open(occupant, placeHolder(visitor));
      const limit = lease.grow(1);
      if (limit === 'network') throw fromNetwork(421, '4.7.0', 'connections');
      if (limit) throw new SmtpError({ code: 421, enhanced: '4.3.2', text: 'Too many connections, try again later' });
      places.set(visitor, lease);
    },
    leave,
    countMessage: (ip) => {
      if (isTrusted(ip) || messages.take(clientNetwork(ip)).allowed) return;
      throw fromNetwork(450, '4.7.1', 'messages');
    },
    countRecipient: (ip) => {
      if (isTrusted(ip) || recipients.take(clientNetwork(ip)).allowed) return;
      throw fromNetwork(450, '4.7.1', 'recipients');
    },
    noteEarlyTalker: (ip) => void earlyTalkers.take(clientNetwork(ip)),
    isEarlyTalker: (ip) => !earlyTalkers.peek(clientNetwork(ip)).allowed,
    requireRoom: (ip, bytes) => {
      const limit = messageBytes.wouldExceed(occupantAt(ip), bytes);
      if (limit) throw noRoom(limit);
    },
    reserve: (message) => {
      const lease = messageBytes.open(occupantAt(message.remoteAddress), memoryHolder(message));
      return {
        grow: (bytes) => {
          const limit = lease.grow(bytes);
          return limit && noRoom(limit);
        },
        release: () => lease.release(),
      };
    },
    pace,
  };
};
