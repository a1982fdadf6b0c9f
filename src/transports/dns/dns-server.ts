/** Answers one packet, by the rules of its transport. */

import type { Clock, RandomBytes } from '../../kernel/clock.ts';
import { answer } from './answer.ts';
import { createCookieCheck } from './cookies.ts';
import { PLAIN_UDP_OCTETS, type Query, RCODE, readQuery } from './query.ts';
import { emptyReply, encodeResponse, encodeTruncated, MAX_UDP_OCTETS, type Reply } from './response.ts';
import { createResponseRate } from './response-rate.ts';
import type { Zone } from './zone.ts';

/** Concurrent look-ups over UDP; queries beyond them are dropped, and real clients repeat them. */
const MAX_UDP_LOOKUPS = 200;
/**
 * Maximum ratio of a UDP response to its query, without a valid cookie. A key of 2 048 bits is seven times its
 * question.
 */
const MAX_AMPLIFICATION = 10;
const MAX_TCP_OCTETS = 65_535;

export interface DnsServerNeeds {
  zone: Zone;
  clock: Clock;
  random: RandomBytes;
  onError: (error: unknown) => void;
}

export interface Client {
  readonly ip: string;
  readonly transport: 'udp' | 'tcp';
}

/** Answers a packet; null: there is no answer. Never rejects. */
export type Respond = (packet: Buffer, client: Client) => Promise<Buffer | null>;

export const createDnsServer = ({ zone, clock, random, onError }: DnsServerNeeds): Respond => {
  const checkCookie = createCookieCheck(clock, random);
  const takeRate = createResponseRate(clock);
  let lookups = 0;

  const findReply = async (query: Query): Promise<Reply> => {
    try {
      return await answer(zone, query);
    } catch (error) {
      onError(error);
      return emptyReply(RCODE.SERVFAIL);
    }
  };

  const respondUdp = async (packet: Buffer, query: Query, ip: string): Promise<Buffer | null> => {
    const cookie = query.edns?.cookie ? checkCookie(query.edns.cookie, ip) : null;
    const isProved = cookie?.isValid ?? false;
    const verdict = isProved ? 'send' : takeRate(ip);
    // Checked before the look-up, so that a flood causes none.
    if (verdict === 'drop' || lookups >= MAX_UDP_LOOKUPS) return null;
    const echo = cookie?.reply ?? null;
    if (verdict === 'truncate') return encodeTruncated(query, emptyReply(query.refusal ?? RCODE.NOERROR), echo);
    lookups += 1;
    const reply = await findReply(query).finally(() => {
      lookups -= 1;
    });
    const taken = query.edns ? Math.min(query.edns.udpOctets, MAX_UDP_OCTETS) : PLAIN_UDP_OCTETS;
    const most = isProved ? taken : Math.min(taken, packet.length * MAX_AMPLIFICATION);
    return encodeResponse(query, reply, most, echo);
  };

  const respondTcp = async (query: Query, ip: string): Promise<Buffer> => {
    const cookie = query.edns?.cookie ? checkCookie(query.edns.cookie, ip).reply : null;
    return encodeResponse(query, await findReply(query), MAX_TCP_OCTETS, cookie);
  };

  return async (packet, { ip, transport }) => {
    try {
      const query = readQuery(packet);
      if (!query) return null;
      return await (transport === 'udp' ? respondUdp(packet, query, ip) : respondTcp(query, ip));
    } catch (error) {
      onError(error);
      return null;
    }
  };
};
