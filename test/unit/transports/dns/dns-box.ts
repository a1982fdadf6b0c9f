/** A zone in memory with its server, and questions as any client encodes them. */

import { type DecodedPacket, decode, encode, type Packet, type Question } from 'dns-packet';
import type { DnsRecord } from '../../../../src/domains/records.ts';
import type { Clock } from '../../../../src/kernel/clock.ts';
import { createChallenges } from '../../../../src/transports/dns/challenges.ts';
import { createDnsServer } from '../../../../src/transports/dns/dns-server.ts';
import { createZone } from '../../../../src/transports/dns/zone.ts';

export const BASE = 'agents.box.test';
export const HOST = `mx.${BASE}`;

const record = (type: DnsRecord['type'], name: string, value: string): DnsRecord => ({
  purpose: 'spf',
  type,
  name,
  value,
  priority: type === 'MX' ? 10 : null,
  ttl: 3_600,
  required: true,
  role: null,
});

/** The records of one domain, with a key that takes two strings. */
export const recordsOf = (domain: string, hostname: string): DnsRecord[] => [
  record('MX', domain, HOST),
  record('CNAME', `mta-sts.${domain}`, hostname),
  record('TXT', domain, `v=spf1 a:${HOST} -all`),
  record('TXT', `pr1._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${'A'.repeat(392)}`),
  record('TXT', `_dmarc.${domain}`, 'v=DMARC1; p=reject'),
];

export interface BoxOptions {
  hostname?: string;
  clock?: Clock;
  domains?: readonly string[];
  /** Beside those of a workspace's subdomain. */
  more?: readonly DnsRecord[];
}

export const openDnsBox = ({
  hostname = HOST,
  clock = { now: Date.now },
  domains = ['acme'],
  more,
}: BoxOptions = {}) => {
  const asked: string[] = [];
  const faults: unknown[] = [];
  const challenges = createChallenges(BASE);
  const known = new Set([BASE, ...domains.map((slug) => `${slug}.${BASE}`)]);
  const zone = createZone({
    baseDomain: BASE,
    hostname,
    hostAddresses: ['192.0.2.1', '2001:db8::1'],
    serial: 7,
    findRecords: async (domain) => {
      asked.push(domain);
      return known.has(domain) ? [...recordsOf(domain, hostname), ...(domain === BASE ? [] : (more ?? []))] : null;
    },
    challengesAt: challenges.at,
    challengeNames: challenges.names,
  });
  const random = (size: number) => new Uint8Array(size).fill(7);
  const answer = createDnsServer({ zone, clock, random, onError: (error) => faults.push(error) });
  const respond = (packet: Buffer, transport: 'udp' | 'tcp' = 'udp', ip = '198.51.100.9') =>
    answer(packet, { ip, transport });
  return {
    asked,
    faults,
    challenges,
    respond,
    /** @returns the decoded answer; throws where there is none */
    ask: async (
      name: string,
      type: string,
      packet: Partial<Packet> = {},
      transport: 'udp' | 'tcp' = 'udp',
    ): Promise<DecodedPacket> => {
      const response = await respond(question(name, type, packet), transport);
      if (!response) throw new Error('It was not answered.');
      return decode(response);
    },
  };
};

export const question = (name: string, type: string, packet: Partial<Packet> = {}): Buffer =>
  encode({ type: 'query', id: 4_711, questions: [{ name, type, class: 'IN' } as Question], ...packet });

/** An OPT record. */
export const edns = (udpPayloadSize = 1_232, more: object = {}): Partial<Packet> => ({
  additionals: [
    {
      ...{ type: 'OPT', name: '.', udpPayloadSize, extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false },
      ...{ options: [], ...more },
    },
  ] as NonNullable<Packet['additionals']>,
});

export const rcodeOf = ({ flags = 0 }: DecodedPacket): number => flags & 0xf;
