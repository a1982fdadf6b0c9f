/** The zone of the base domain: derives a name's records from the store's domains. */

import { toHostRecords } from '../../domains/host-records.ts';
import type { DnsRecord } from '../../domains/records.ts';
import { isWithin } from '../../kernel/address.ts';
import { addressRecord, textRecord, type ZoneRecord } from './response.ts';

/** Seconds. A changed record is read again within the hour. */
const TTL = 3_600;
/** Seconds. A workspace's name that was queried too early is found a minute later. */
const NEGATIVE_TTL = 60;
/** Refresh, retry and expire of the SOA record concern secondaries, which do not exist. */
const SECONDARIES = { refresh: 3_600, retry: 600, expire: 604_800 };
/** An ACME server repeats its query. */
const CHALLENGE_TTL = 1;

export interface ZoneNeeds {
  /** In lower case, as the next two. */
  baseDomain: string;
  hostname: string;
  /** The host's public addresses; unused where its name is outside of the zone. */
  hostAddresses: readonly string[];
  /** The serial of the SOA record. */
  serial: number;
  /** The records of the base domain or of one of its subdomains; null: there is no such domain. */
  findRecords: (domain: string) => Promise<readonly DnsRecord[] | null>;
  /** TXT values of ACME challenges at a name. */
  challengesAt: (name: string) => readonly string[];
  /** Every name with a challenge. */
  challengeNames: () => Iterable<string>;
}

export type ZoneNode =
  | { readonly kind: 'outside' }
  /** NXDOMAIN. */
  | { readonly kind: 'missing' }
  /** Without records where only names below it have some. */
  | { readonly kind: 'found'; readonly records: readonly ZoneRecord[] };

export interface Zone {
  readonly soa: ZoneRecord;
  /** @param name in lower case */
  find(name: string): Promise<ZoneNode>;
}

const toZoneRecord = ({ name: written, ttl, type, value, priority }: DnsRecord): ZoneRecord => {
  const name = written.toLowerCase();
  switch (type) {
    case 'MX':
      return { name, ttl, type, data: { preference: priority ?? 0, exchange: value.toLowerCase() } };
    case 'CNAME':
      return { name, ttl, type, data: value.toLowerCase() };
    case 'TXT':
      return textRecord(name, ttl, value);
  }
};

export const createZone = (needs: ZoneNeeds): Zone => {
  const { baseDomain, hostname, hostAddresses, serial, findRecords, challengesAt, challengeNames } = needs;
  const mailbox = `hostmaster.${baseDomain}`;
  const soa: ZoneRecord = {
    name: baseDomain,
    // RFC 2308 section 5: negative answers are cached for the smaller of it and `minimum`.
    ttl: NEGATIVE_TTL,
    type: 'SOA',
    data: { mname: hostname, rname: mailbox, serial, ...SECONDARIES, minimum: NEGATIVE_TTL },
  };
  const apex: readonly ZoneRecord[] = [soa, { name: baseDomain, ttl: TTL, type: 'NS', data: hostname }];
  // A host of the base domain's own name has its SPF record, and a second one would void both (RFC 7208 section 4.5).
  const host = isWithin(hostname, baseDomain)
    ? toHostRecords(hostname, hostAddresses).flatMap(({ type, value }) => {
        if (type === 'TXT') return hostname === baseDomain ? [] : [textRecord(hostname, TTL, value)];
        return type === 'PTR' ? [] : [addressRecord(hostname, TTL, value)];
      })
    : [];

  /** The base domain, and the subdomain that equals or contains the name: a slug is one label. */
  const domainsOf = (name: string): string[] => {
    if (name === baseDomain) return [baseDomain];
    const label = name
      .slice(0, -baseDomain.length - 1)
      .split('.')
      .at(-1);
    return [baseDomain, `${label}.${baseDomain}`];
  };

  const recordsOf = async (domain: string): Promise<ZoneRecord[]> => {
    const listed = await findRecords(domain);
    if (!listed) return [];
    return listed.map(toZoneRecord);
  };

  return {
    soa,
    find: async (name) => {
      if (!isWithin(name, baseDomain)) return { kind: 'outside' };
      const ofDomains = await Promise.all(domainsOf(name).map(recordsOf));
      const known = [...apex, ...host, ...ofDomains.flat()];
      const challenges = challengesAt(name).map((text) => textRecord(name, CHALLENGE_TTL, text));
      const records = withoutClash([...known.filter((record) => record.name === name), ...challenges]);
      if (records.length > 0) return { kind: 'found', records };
      const isUnder = (other: string) => other.endsWith(`.${name}`);
      const hasNamesUnderIt = known.some((record) => isUnder(record.name)) || [...challengeNames()].some(isUnder);
      return hasNamesUnderIt ? { kind: 'found', records: [] } : { kind: 'missing' };
    },
  };
};

/** A CNAME stands alone (RFC 1034 section 3.6.2): beside a workspace of the same name, or a challenge, it is left out. */
const withoutClash = (records: readonly ZoneRecord[]): readonly ZoneRecord[] => {
  const others = records.filter(({ type }) => type !== 'CNAME');
  return others.length > 0 ? others : records.slice(0, 1);
};
