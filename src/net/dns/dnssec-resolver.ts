/**
 * DNS questions whose answers say whether the resolver has validated them (DNSSEC's AD bit, RFC 4035 section 3.2.3), which
 * node:dns does not tell.
 */

import { getServers } from 'node:dns';
import type { Answer, DecodedPacket } from 'dns-packet';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, HOUR, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';
import { createSingleFlight } from '../../kernel/single-flight.ts';
import { queryDns } from './dns-query.ts';

export type DnssecType = 'MX' | 'A' | 'AAAA' | 'TLSA';

export type DnssecAnswer =
  /** Only where `isSecure` may the answer be relied on. No records: the name or the type is not there. */
  | { readonly kind: 'answer'; readonly isSecure: boolean; readonly records: readonly Answer[] }
  | { readonly kind: 'failed'; readonly reason: string };

export interface DnssecResolver {
  /** Whether there is a resolver that could be believed. */
  readonly isOn: boolean;
  ask(name: string, type: DnssecType): Promise<DnssecAnswer>;
}

interface LookupNeeds {
  /** As "127.0.0.1:5353" or "::1"; empty: the system's. */
  readonly servers: readonly string[];
  readonly clock: Clock;
}

/** Each server is asked twice, for UDP loses packets. */
const ROUNDS = 2;
const TRY_MS: Millis = 1500;
const MAX_CACHED = 10_000;
const LONGEST_MS: Millis = HOUR;
/** For an answer without records that does not say how long it holds: RFC 2308 section 5. */
const NEGATIVE_MS: Millis = MINUTE;

/**
 * The AD bit is worth what the way to the resolver is: a resolver of the system's that is not on this machine is not
 * believed (RFC 4035 section 4.9.3), one that the operator names is.
 */
const believed = (servers: readonly string[]): readonly string[] =>
  servers.length > 0 ? servers : getServers().filter((server) => /^(?:127\.|::1$|\[::1\])/.test(server));

const keyOf = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** The records of the type, at the name or where its aliases lead. */
const recordsOf = ({ answers = [] }: DecodedPacket, name: string, type: DnssecType): Answer[] => {
  let at = keyOf(name);
  for (let links = 0; links < answers.length; links += 1) {
    const alias = answers.find((each) => each.type === 'CNAME' && keyOf(each.name) === at);
    if (alias?.type !== 'CNAME') break;
    at = keyOf(alias.data);
  }
  return answers.filter((each) => each.type === type && keyOf(each.name) === at);
};

const lastsFor = ({ answers = [], authorities = [] }: DecodedPacket, hasRecords: boolean): Millis => {
  const timesOf = (records: readonly Answer[]) =>
    records.flatMap((each) => ('ttl' in each && typeof each.ttl === 'number' ? [each.ttl * SECOND] : []));
  if (hasRecords) return Math.min(LONGEST_MS, ...timesOf(answers));
  const soa = authorities.find(({ type }) => type === 'SOA');
  if (soa?.type !== 'SOA') return NEGATIVE_MS;
  return Math.min(LONGEST_MS, ...timesOf([soa]), (soa.data.minimum ?? 0) * SECOND);
};

export const createDnssecResolver = ({ servers: given, clock }: LookupNeeds): DnssecResolver => {
  const servers = believed(given);
  const cache = new BoundedMap<string, { answer: DnssecAnswer; until: Millis }>(MAX_CACHED);
  const flight = createSingleFlight<DnssecAnswer>();

  const askAll = async (name: string, type: DnssecType): Promise<DnssecAnswer> => {
    let reason = 'no resolver';
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const server of servers) {
        const reply = await queryDns(server, { name, type }, TRY_MS);
        if (reply instanceof Error) {
          reason = reply.message;
          continue;
        }
        const { rcode } = reply as DecodedPacket & { rcode: string };
        // A resolver that does not know the question's form validates nothing.
        if (rcode === 'FORMERR' || rcode === 'NOTIMP') return { kind: 'answer', isSecure: false, records: [] };
        if (rcode === 'NOERROR' || rcode === 'NXDOMAIN') {
          const records = rcode === 'NOERROR' ? recordsOf(reply, name, type) : [];
          const answer: DnssecAnswer = { kind: 'answer', isSecure: reply.flag_ad, records };
          const until = clock.now() + lastsFor(reply, records.length > 0);
          cache.set(`${type} ${keyOf(name)}`, { answer, until });
          return answer;
        }
        reason = rcode;
      }
    }
    return { kind: 'failed', reason: `DNS ${type} ${name}: ${reason}` };
  };

  return {
    isOn: servers.length > 0,
    ask: async (name, type) => {
      const key = `${type} ${keyOf(name)}`;
      const cached = cache.get(key);
      if (cached && cached.until > clock.now()) return cached.answer;
      cache.delete(key);
      return flight.run(key, () => askAll(name, type));
    },
  };
};
