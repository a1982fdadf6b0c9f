/**
 * Scores an SMTP client by its connection, greeting and iprev; 0 is a well-configured host. Recorded, without effect by
 * itself.
 */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isWithin, parseDomain } from '../kernel/address.ts';
import type { Iprev } from '../net/dns/iprev.ts';

const SCORES = {
  /** Sent before the greeting, within the last hour (RFC 5321 section 4.3.1 asks clients to wait). */
  early_talker: 3,
  /** HELO is no fully qualified name. */
  helo_not_fqdn: 1,
  /** HELO is this instance's host name or base domain: a forgery. */
  helo_is_ours: 4,
  /** HELO is another address than the client's, as literal or bare. */
  helo_other_address: 2,
  /** HELO is the client's address without the brackets of RFC 5321 section 4.1.3. */
  helo_bare_address: 1,
  /** The address has no PTR record, like most residential ones. */
  no_reverse_name: 2,
  /** iprev fails (RFC 8601 section 3): the PTR name does not resolve to the address. */
  reverse_name_unconfirmed: 1,
} as const;

export type ReputationSignal = keyof typeof SCORES;

export interface ClientReputation {
  readonly score: number;
  readonly found: readonly ReputationSignal[];
}

export interface ConnectionFacts {
  readonly ip: string;
  readonly helo: string;
  readonly talkedEarly: boolean;
  readonly reverse: Iprev;
  /** This instance's host name and base domain. */
  readonly localNames: readonly string[];
}

/** The address in a HELO, as literal or bare; null where it is a name. */
const readAddress = (helo: string): { ip: string; isBare: boolean } | null => {
  const literal = /^\[(?:ipv6:)?([^\]]+)\]$/i.exec(helo)?.[1];
  const ip = literal ?? helo;
  return isIP(ip) === 0 ? null : { ip, isBare: literal === undefined };
};

const sameAddress = (a: string, b: string): boolean =>
  isIP(a) !== 0 && isIP(b) !== 0 && ipaddr.process(a).toNormalizedString() === ipaddr.process(b).toNormalizedString();

const checkHelo = ({ helo, ip, localNames }: ConnectionFacts): ReputationSignal[] => {
  const address = readAddress(helo);
  if (address) {
    if (!sameAddress(address.ip, ip)) return ['helo_other_address'];
    return address.isBare ? ['helo_bare_address'] : [];
  }
  const name = parseDomain(helo, 2);
  if (name === null) return ['helo_not_fqdn'];
  return localNames.some((local) => isWithin(name, local)) ? ['helo_is_ours'] : [];
};

const checkIprev = ({ reverse }: ConnectionFacts): ReputationSignal[] => {
  if (reverse.state === 'none') return ['no_reverse_name'];
  return reverse.state === 'unconfirmed' ? ['reverse_name_unconfirmed'] : [];
};

export const scoreClient = (facts: ConnectionFacts): ClientReputation => {
  const found: ReputationSignal[] = [
    ...(facts.talkedEarly ? (['early_talker'] as const) : []),
    ...checkHelo(facts),
    ...checkIprev(facts),
  ];
  return { score: found.reduce((sum, name) => sum + SCORES[name], 0), found };
};
