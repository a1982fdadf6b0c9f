/** Damaged DNS queries: what clients send, with octets changed, cut off, repeated and put in front of each other. */

import { encode, type Packet } from 'dns-packet';
import type { Random } from './random.ts';

const TYPES = ['A', 'AAAA', 'MX', 'TXT', 'NS', 'SOA', 'CNAME', 'ANY', 'AXFR', 'IXFR', 'DS', 'TLSA', 'CAA'];
const NAMES = [
  '',
  'acme.',
  'mta-sts.acme.',
  'pr1._domainkey.acme.',
  '_dmarc.',
  'no-such.',
  'a.b.c.d.e.f.',
  '\u0000\u00ff.',
];
const MAX_CHANGES = 8;

const optOf = (random: Random): Packet['additionals'] => [
  {
    type: 'OPT',
    name: '.',
    extendedRcode: 0,
    flags: 0,
    flag_do: random.chance(0.5),
    udpPayloadSize: random.below(65_536),
    ednsVersion: random.chance(0.1) ? random.below(256) : 0,
    options: random.chance(0.5)
      ? [{ code: random.pick([3, 8, 10, 12, 65_001]), data: random.bytes(random.below(45)) }]
      : [],
  } as NonNullable<Packet['additionals']>[number],
];

/** A query that is well formed. */
export const makeQuery = (zone: string, random: Random): Buffer => {
  const label = random.chance(0.2) ? `${random.bytes(random.below(20)).toString('hex')}.` : random.pick(NAMES);
  const name = random.chance(0.1) ? random.pick(['', 'example.com', 'test']) : `${label}${zone}`;
  return encode({
    type: 'query',
    id: random.below(65_536),
    flags: random.chance(0.9) ? 0x0100 : random.below(65_536),
    questions: [{ name, type: random.pick(TYPES) as 'A', class: 'IN' }],
    ...(random.chance(0.6) && { additionals: optOf(random) }),
  });
};

export const makeDnsPacket = (zone: string, random: Random): Buffer => {
  let packet = makeQuery(zone, random);
  if (random.chance(0.1)) packet = random.bytes(random.below(600));
  if (random.chance(0.7)) {
    for (let change = random.below(MAX_CHANGES); change >= 0 && packet.length > 0; change -= 1) {
      packet[random.below(packet.length)] = random.pick([0, 1, 0x3f, 0x40, 0xc0, 0xff, random.below(256)]);
    }
  }
  if (random.chance(0.2)) packet = packet.subarray(0, random.below(packet.length + 1));
  if (random.chance(0.2)) packet = Buffer.concat([packet, packet.subarray(random.below(packet.length + 1))]);
  // Names that lead to themselves, and labels up to the longest.
  if (random.chance(0.1)) packet = Buffer.concat([packet.subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])]);
  if (random.chance(0.1)) packet = Buffer.concat([packet.subarray(0, 12), Buffer.alloc(random.below(700), 1)]);
  return packet;
};
