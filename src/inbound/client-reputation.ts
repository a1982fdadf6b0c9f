/** What a client's connection says about it, as a score: 0 is a mail host in good order. It decides nothing by itself. */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isWithin, parseDomain } from '../kernel/address.ts';
import type { Iprev } from '../net/dns/iprev.ts';

const SCORES = {
  /** Sent before the greeting, within the last hour. Mail hosts wait (RFC 5321 section 4.3.1). */
  early_talker: 3,
  /** Greets with one word, or with nothing that a host could be called. */
  helo_not_fqdn: 1,
  /** Greets with a name of ours: it can only be meant to deceive. */
  helo_is_ours: 4,
  /** Greets with an address, in brackets or without, that is not its own. */
  helo_other_address: 2,
  /** Greets with its address, without the brackets of RFC 5321 section 4.1.3. */
  helo_bare_address: 1,
  /** Its address has no name, as those that are handed out to households. */
  no_reverse_name: 2,
  /** Its address has a name that does not lead back to it. */
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
  /** Our host name and base domain. */
  readonly ourNames: readonly string[];
}

/** The address that a greeting gives, in brackets or bare; null where it gives a name. */
const addressIn = (helo: string): { ip: string; isBare: boolean } | null => {
  const literal = /^\[(?:ipv6:)?([^\]]+)\]$/i.exec(helo)?.[1];
  const ip = literal ?? helo;
  return isIP(ip) === 0 ? null : { ip, isBare: literal === undefined };
};

const sameAddress = (a: string, b: string): boolean =>
  isIP(a) !== 0 && isIP(b) !== 0 && ipaddr.process(a).toNormalizedString() === ipaddr.process(b).toNormalizedString();

const judgeHelo = ({ helo, ip, ourNames }: ConnectionFacts): ReputationSignal[] => {
  const address = addressIn(helo);
  if (address) {
    if (!sameAddress(address.ip, ip)) return ['helo_other_address'];
    return address.isBare ? ['helo_bare_address'] : [];
  }
  const name = parseDomain(helo, 2);
  if (name === null) return ['helo_not_fqdn'];
  return ourNames.some((ours) => isWithin(name, ours)) ? ['helo_is_ours'] : [];
};

const judgeName = ({ reverse }: ConnectionFacts): ReputationSignal[] => {
  if (reverse.state === 'none') return ['no_reverse_name'];
  return reverse.state === 'unconfirmed' ? ['reverse_name_unconfirmed'] : [];
};

export const scoreClient = (facts: ConnectionFacts): ClientReputation => {
  const found: ReputationSignal[] = [
    ...(facts.talkedEarly ? (['early_talker'] as const) : []),
    ...judgeHelo(facts),
    ...judgeName(facts),
  ];
  return { score: found.reduce((sum, name) => sum + SCORES[name], 0), found };
};
