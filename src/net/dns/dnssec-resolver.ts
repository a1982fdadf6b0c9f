/**
 * DNSSEC resolver: its answers report the resolver's validation (AD bit, RFC 4035 section 3.2.3), which node:dns does
 * not expose.
 */

import { getServers } from 'node:dns';
import type { Answer, DecodedPacket } from 'dns-packet';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, HOUR, isAhead, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';
import { createSingleFlight } from '../../kernel/single-flight.ts';
import { queryDns } from './dns-query.ts';
import { bareName, findRecords, isAnswer, rcodeOf } from './fresh-lookup.ts';

export type DnssecType = 'MX' | 'A' | 'AAAA' | 'TLSA';

export type DnssecAnswer =
  /** Trustworthy only with `isSecure`. Without records: NXDOMAIN or NODATA. */
  | { readonly kind: 'answer'; readonly isSecure: boolean; readonly records: readonly Answer[] }
  | { readonly kind: 'failed'; readonly reason: string };

export interface DnssecResolver {
  /** Whether a trusted resolver is configured. */
  readonly isOn: boolean;
  query(name: string, type: DnssecType): Promise<DnssecAnswer>;
}

interface DnssecResolverNeeds {
  /** As "127.0.0.1:5353" or "::1"; empty: the system's. */
  readonly servers: readonly string[];
  readonly clock: Clock;
}

/** Each server is queried twice, because UDP loses packets. */
const ROUNDS = 2;
const TRY_MS: Millis = 1500;
const MAX_CACHED = 10_000;
const LONGEST_MS: Millis = HOUR;
/** For a negative answer without an SOA record (RFC 2308 section 5). */
const NEGATIVE_MS: Millis = MINUTE;

/**
 * Selects trusted servers. The AD bit is only as secure as the path to the resolver: of the system's resolvers only
 * loopback ones count (RFC 4035 section 4.9.3), a configured one always does.
 */
const selectTrusted = (servers: readonly string[]): readonly string[] =>
  servers.length > 0 ? servers : getServers().filter((server) => /^(?:127\.|::1$|\[::1\])/.test(server));

const lifetime = ({ answers = [], authorities = [] }: DecodedPacket, hasRecords: boolean): Millis => {
  const readTtls = (records: readonly Answer[]) =>
    records.flatMap((each) => ('ttl' in each && typeof each.ttl === 'number' ? [each.ttl * SECOND] : []));
  if (hasRecords) return Math.min(LONGEST_MS, ...readTtls(answers));
  const soa = authorities.find(({ type }) => type === 'SOA');
  if (soa?.type !== 'SOA') return NEGATIVE_MS;
  return Math.min(LONGEST_MS, ...readTtls([soa]), (soa.data.minimum ?? 0) * SECOND);
};

export const createDnssecResolver = ({ servers: configured, clock }: DnssecResolverNeeds): DnssecResolver => {
  const servers = selectTrusted(configured);
  const cache = new BoundedMap<string, { answer: DnssecAnswer; until: Millis }>(MAX_CACHED);
  const flight = createSingleFlight<DnssecAnswer>();

  const queryServers = async (name: string, type: DnssecType): Promise<DnssecAnswer> => {
    let reason = 'no resolver';
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const server of servers) {
        const reply = await queryDns(server, { name, type }, TRY_MS);
        if (reply.kind === 'failed') {
          reason = reply.reason;
          continue;
        }
        const { packet } = reply;
        const rcode = rcodeOf(packet);
        // A resolver without EDNS support does not validate.
        if (rcode === 'FORMERR' || rcode === 'NOTIMP') return { kind: 'answer', isSecure: false, records: [] };
        if (isAnswer(rcode)) {
          const records = rcode === 'NOERROR' ? findRecords(packet, name, type).records : [];
          const answer: DnssecAnswer = { kind: 'answer', isSecure: packet.flag_ad, records };
          const until = clock.now() + lifetime(packet, records.length > 0);
          cache.set(`${type} ${bareName(name)}`, { answer, until });
          return answer;
        }
        reason = rcode;
      }
    }
    return { kind: 'failed', reason: `DNS ${type} ${name}: ${reason}` };
  };

  return {
    isOn: servers.length > 0,
    query: async (name, type) => {
      const key = `${type} ${bareName(name)}`;
      const cached = cache.get(key);
      if (cached && isAhead(cached.until, clock.now(), LONGEST_MS)) return cached.answer;
      cache.delete(key);
      return flight.run(key, () => queryServers(name, type));
    },
  };
};
