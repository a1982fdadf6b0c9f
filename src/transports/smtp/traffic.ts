/** What is counted over all connections: how many there are, what one network sends, and the bytes under way. */

import { createRateLimit } from '../../access/rate-limit.ts';
import { type Clock, HOUR, SECOND } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { SmtpError } from '../../kernel/errors.ts';
import { cidrMatcher } from '../../net/address-range.ts';
import { clientNetwork } from '../http/client-address.ts';

export type SmtpLimits = Config['smtp']['limits'];

/** An open connection, as the door sees it. */
export interface Visitor {
  readonly remoteAddress: string;
  /** Since when it owes us a command; null while it is served or sends a message. */
  readonly idleSince: number | null;
  /** Ends it, because another one needs its place. */
  giveWay(): void;
}

/** The memory of one message. */
export interface Reservation {
  /** @returns false where there is no room for so much more; nothing is taken then */
  grow(bytes: number): boolean;
  release(): void;
}

export interface Traffic {
  isTrusted(ip: string): boolean;
  /** @throws SmtpError 421 where a connection is one too many */
  admit(visitor: Visitor): void;
  leave(visitor: Visitor): void;
  /** @throws SmtpError 450 where the network has sent enough for this minute */
  countMessage(ip: string): void;
  countRecipient(ip: string): void;
  /** Remembers who spoke before the greeting; refused then, such a client comes again better behaved. */
  noteEarlyTalker(ip: string): void;
  isEarlyTalker(ip: string): boolean;
  hasRoom(bytes: number): boolean;
  reserve(): Reservation;
}

const fromNetwork = (code: number, enhanced: string, text: string) =>
  new SmtpError({ code, enhanced, text: `Too many ${text} from your network, try again later` });

export const createTraffic = (limits: SmtpLimits, trusted: readonly string[], clock: Clock): Traffic => {
  const isTrusted = cidrMatcher(trusted);
  const visitors = new Set<Visitor>();
  const perNetwork = new Map<string, number>();
  const messages = createRateLimit(clock, limits.messages_per_minute_per_ip);
  const recipients = createRateLimit(clock, limits.recipients_per_minute_per_ip);
  const earlyTalkers = createRateLimit(clock, 1, HOUR);
  let bytesInFlight = 0;

  /** The one that has been idle longest, where that is long enough. */
  const makeRoom = (): boolean => {
    const before = clock.now() - limits.give_way_seconds * SECOND;
    let idlest: Visitor | null = null;
    for (const visitor of visitors) {
      const since = visitor.idleSince;
      if (since !== null && since <= before && since < (idlest?.idleSince ?? Number.POSITIVE_INFINITY))
        idlest = visitor;
    }
    if (!idlest) return false;
    leave(idlest);
    idlest.giveWay();
    return true;
  };
  const leave = (visitor: Visitor): void => {
    if (!visitors.delete(visitor)) return;
    const network = clientNetwork(visitor.remoteAddress);
    const left = (perNetwork.get(network) ?? 0) - 1;
    if (left > 0) perNetwork.set(network, left);
    else perNetwork.delete(network);
  };
  return {
    isTrusted,
    admit: (visitor) => {
      const network = clientNetwork(visitor.remoteAddress);
      const open = perNetwork.get(network) ?? 0;
      if (open >= limits.connections_per_ip && !isTrusted(visitor.remoteAddress)) {
        throw fromNetwork(421, '4.7.0', 'connections');
      }
      if (visitors.size >= limits.connections && !makeRoom()) {
        throw new SmtpError({ code: 421, enhanced: '4.3.2', text: 'Too many connections, try again later' });
      }
      visitors.add(visitor);
      perNetwork.set(network, (perNetwork.get(network) ?? 0) + 1);
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
    hasRoom: (bytes) => bytesInFlight + bytes <= limits.bytes_in_flight,
    reserve: () => {
      let reserved = 0;
      return {
        grow: (bytes) => {
          if (bytesInFlight + bytes > limits.bytes_in_flight) return false;
          bytesInFlight += bytes;
          reserved += bytes;
          return true;
        },
        release: () => {
          bytesInFlight -= reserved;
          reserved = 0;
        },
      };
    },
  };
};
