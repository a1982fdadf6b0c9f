/** Looks records up at the authoritative servers of their zone, so that no cache stands between. */

import { isIPv6 } from 'node:net';
import type { DecodedPacket } from 'dns-packet';
import { isWithin } from '../../kernel/address.ts';
import { createSingleFlight } from '../../kernel/single-flight.ts';
import {
  bareName,
  createRecursiveLookup,
  type FreshAnswer,
  type FreshLookup,
  type FreshType,
  isAnswer,
  MAX_ALIASES,
  rcodeOf,
  readRecords,
} from './fresh-lookup.ts';
import type { AskServer } from './query-budget.ts';

export interface AuthoritativeNeeds {
  ask: AskServer;
  /** Recursive resolvers, which find the name servers of a zone. */
  resolvers: readonly string[];
  /** Whether a server may be asked: an outsider's NS records must not lead into the instance's own network. */
  isAllowed: (ip: string) => boolean;
  /** 53 outside tests. */
  port?: number;
}

export interface AuthoritativeLookup {
  lookup: FreshLookup;
  /** Faults of the queried name servers, a line each. */
  faults(): string[];
}

interface NameServer {
  host: string;
  address: string;
}

interface Zone {
  name: string;
  servers: readonly NameServer[];
}

/** Name servers of a zone that are asked; a zone has 2 to 7 of them (RFC 2182 section 5). */
const MAX_HOSTS = 4;
/** Delegations that one lookup follows below the first zone. */
const MAX_REFERRALS = 4;
/** Servers of one zone that one lookup asks. */
const MAX_TRIES = 3;

type Attempt =
  | { kind: 'reply'; packet: DecodedPacket }
  | { kind: 'referral'; zone: string; hosts: string[] }
  | { kind: 'failed'; reason: string; isResponse: boolean };

/** The zone that a reply without an answer delegates to; null where it delegates to none below `zone`. */
const readReferral = ({ authorities = [] }: DecodedPacket, name: string, zone: string): Attempt | null => {
  const delegations = authorities.filter((each) => each.type === 'NS' && bareName(each.name) !== zone);
  const [first] = delegations;
  if (!first || !isWithin(name, bareName(first.name)) || !isWithin(bareName(first.name), zone)) return null;
  const hosts = delegations.flatMap((each) => (each.type === 'NS' ? [bareName(each.data)] : []));
  return { kind: 'referral', zone: bareName(first.name), hosts };
};

export const createAuthoritativeLookup = (needs: AuthoritativeNeeds): AuthoritativeLookup => {
  const { ask, isAllowed, port = 53 } = needs;
  const recursive = createRecursiveLookup(ask, needs.resolvers);
  const zones = new Map<string, Zone>();
  const discovery = createSingleFlight<Zone | FreshAnswer>();
  const faults = new Set<string>();

  const addressesOf = async (host: string): Promise<NameServer[]> => {
    const answers = await Promise.all([recursive(host, 'A'), recursive(host, 'AAAA')]);
    const addresses = answers.flatMap((each) => (each.kind === 'answer' ? each.values : []));
    if (addresses.length === 0) faults.add(`The name server ${host} has no address.`);
    const allowed = addresses.filter(isAllowed);
    if (allowed.length < addresses.length)
      faults.add(`The name server ${host} has a private address; it is not asked.`);
    return allowed.slice(0, 2).map((address) => ({ host, address }));
  };

  const enterZone = async (name: string, hosts: readonly string[]): Promise<Zone> => {
    const servers = await Promise.all(hosts.slice(0, MAX_HOSTS).map(addressesOf));
    const zone = { name, servers: servers.flat() };
    zones.set(name, zone);
    return zone;
  };

  /** Walks up from the name to the first one that has NS records. */
  const discover = async (name: string): Promise<Zone | FreshAnswer> => {
    let failure: FreshAnswer = { kind: 'failed', reason: 'no name servers', isBogus: false, isResponse: true };
    const labels = name.split('.');
    for (let at = 0; at < labels.length; at += 1) {
      const candidate = labels.slice(at).join('.');
      const answer = await recursive(candidate, 'NS');
      if (answer.kind === 'failed') return answer;
      if (answer.values.length > 0 && answer.aliases.length === 0) return enterZone(candidate, answer.values);
      failure = { ...failure, reason: `no name servers for ${candidate}` };
    }
    return failure;
  };

  const findZone = async (name: string): Promise<Zone | FreshAnswer> => {
    const known = [...zones.values()].filter((zone) => isWithin(name, zone.name));
    const [deepest] = known.sort((a, b) => b.name.length - a.name.length);
    return deepest ?? discovery.run(name, () => discover(name));
  };

  const askOne = async ({ host, address }: NameServer, zone: Zone, name: string, type: FreshType): Promise<Attempt> => {
    const server = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
    const reply = await ask(server, { name, type, mode: 'iterative' });
    if (reply.kind === 'failed') {
      faults.add(`The name server ${host} (${address}) does not answer: ${reply.reason}.`);
      return { ...reply, isResponse: false };
    }
    const { packet } = reply;
    const rcode = rcodeOf(packet);
    if (isAnswer(rcode) && (packet.flag_aa || (packet.answers ?? []).length > 0)) return { kind: 'reply', packet };
    const referral = isAnswer(rcode) ? readReferral(packet, name, zone.name) : null;
    if (referral) return referral;
    faults.add(`The name server ${host} (${address}) does not serve ${zone.name} (${rcode}): it is lame.`);
    return { kind: 'failed', reason: rcode, isResponse: true };
  };

  const askZone = async (zone: Zone, name: string, type: FreshType): Promise<Attempt> => {
    let last: Attempt = { kind: 'failed', reason: `no server of ${zone.name} can be asked`, isResponse: false };
    for (const server of zone.servers.slice(0, MAX_TRIES)) {
      last = await askOne(server, zone, name, type);
      if (last.kind !== 'failed') return last;
    }
    return last;
  };

  const resolveOnce = async (name: string, type: FreshType): Promise<FreshAnswer> => {
    let zone = await findZone(name);
    for (let depth = 0; depth <= MAX_REFERRALS; depth += 1) {
      if ('kind' in zone) return zone;
      const attempt: Attempt = await askZone(zone, name, type);
      if (attempt.kind === 'failed') return { ...attempt, isBogus: false };
      if (attempt.kind === 'reply') return { kind: 'answer', ...readRecords(attempt.packet, name, type) };
      zone = await enterZone(attempt.zone, attempt.hosts);
    }
    return { kind: 'failed', reason: 'too many delegations', isBogus: false, isResponse: true };
  };

  const lookup = async (name: string, type: FreshType): Promise<FreshAnswer> => {
    const aliases: string[] = [];
    for (let at = bareName(name); ; ) {
      const answer = await resolveOnce(at, type);
      if (answer.kind === 'failed') return answer;
      aliases.push(...answer.aliases);
      const next = answer.aliases.at(-1);
      if (answer.values.length > 0 || next === undefined || next === at || aliases.length >= MAX_ALIASES) {
        return { ...answer, aliases };
      }
      // The alias leads out of the zone.
      at = next;
    }
  };

  return { lookup: lookup as FreshLookup, faults: () => [...faults] };
};
