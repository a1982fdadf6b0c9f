/** Encodes a response with dns-packet, within the client's limit of octets. */

import { isIPv6 } from 'node:net';
import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  encode,
  type HInfoAnswer,
  type MxAnswer,
  RECURSION_DESIRED,
  type SoaAnswer,
  type StringAnswer,
  TRUNCATED_RESPONSE,
  type TxtAnswer,
} from 'dns-packet';
import { isWithin } from '../../kernel/address.ts';
import { COOKIE_OPTION, HEADER_OCTETS, type Query, type Question, type Rcode } from './query.ts';

/** The data of NS and CNAME records is their target; that of address records, the address. */
export type ZoneRecord =
  | (StringAnswer & { type: 'A' | 'AAAA' | 'NS' | 'CNAME' })
  | MxAnswer
  | TxtAnswer
  | SoaAnswer
  | HInfoAnswer;

export interface Reply {
  readonly rcode: Rcode;
  readonly isAuthoritative: boolean;
  readonly answers: readonly ZoneRecord[];
  readonly authority: readonly ZoneRecord[];
  /** Left out where it does not fit. */
  readonly additional: readonly ZoneRecord[];
}

export const emptyReply = (rcode: Rcode): Reply => ({
  rcode,
  isAuthoritative: false,
  answers: [],
  authority: [],
  additional: [],
});

/** Announced in this server's OPT record: answers of this size are not fragmented (DNS flag day 2020). */
export const MAX_UDP_OCTETS = 1_232;
const MAX_TXT_STRING = 255;
const DNSSEC_OK = 0x8000;
/** The first two bits of a compression pointer (RFC 1035 section 4.1.4). */
const POINTER = 0xc000;

const uint16 = (value: number): Buffer => Buffer.from([(value >> 8) & 0xff, value & 0xff]);

/**
 * dns-packet writes each name in full. An owner name that ends like the question's becomes a pointer into the
 * question, so that a key of 2 048 bits fits into 512 octets.
 */
const encodeRecord = (record: Answer, question: Question | null): Buffer => {
  if (!question || !isWithin(question.name, record.name)) {
    return encode({ answers: [record] }).subarray(HEADER_OCTETS);
  }
  // Counted from the question's end: behind the name stand its type and class.
  const offset = HEADER_OCTETS + question.bytes.length - 4 - (record.name.length + 2);
  const withoutOwner = encode({ answers: [{ ...record, name: '.' }] }).subarray(HEADER_OCTETS + 1);
  return Buffer.concat([uint16(POINTER | offset), withoutOwner]);
};

/** RFC 6891 section 6.1.2. @param cookie the COOKIE option's data; null: none */
const optRecord = ({ edns }: Query, rcode: Rcode, cookie: Buffer | null): Answer => ({
  type: 'OPT',
  name: '.',
  udpPayloadSize: MAX_UDP_OCTETS,
  extendedRcode: rcode >> 4,
  ednsVersion: 0,
  flags: edns?.isDnssecOk ? DNSSEC_OK : 0,
  flag_do: edns?.isDnssecOk ?? false,
  options: cookie ? [{ code: COOKIE_OPTION, data: cookie } as never] : [],
});

type Sections = Pick<Reply, 'answers' | 'authority' | 'additional'>;

const encodeSections = (
  query: Query,
  { rcode, isAuthoritative }: Reply,
  { answers, authority, additional }: Sections,
  { isTruncated, cookie }: { isTruncated: boolean; cookie: Buffer | null },
): Buffer => {
  const { id, opcode, question, edns } = query;
  const flags =
    (opcode << 11) |
    (isAuthoritative ? AUTHORITATIVE_ANSWER : 0) |
    (isTruncated ? TRUNCATED_RESPONSE : 0) |
    (query.isRecursionDesired ? RECURSION_DESIRED : 0) |
    (rcode & 0xf);
  const additionals = [...additional, ...(edns ? [optRecord(query, rcode, cookie)] : [])];
  const counts = [question ? 1 : 0, answers.length, authority.length, additionals.length];
  return Buffer.concat([
    encode({ type: 'response', id, flags }).subarray(0, 4),
    ...counts.map(uint16),
    // As received: with the letters' case, and octets that dns-packet does not write.
    question?.bytes ?? Buffer.alloc(0),
    ...[...answers, ...authority, ...additionals].map((record) => encodeRecord(record, question)),
  ]);
};

/**
 * @param maxOctets the client's limit; a larger reply has the TC bit and no records (RFC 2181 section 9)
 * @param cookie sent with EDNS only
 */
export const encodeResponse = (query: Query, reply: Reply, maxOctets: number, cookie: Buffer | null): Buffer => {
  const whole = encodeSections(query, reply, reply, { isTruncated: false, cookie });
  if (whole.length <= maxOctets) return whole;
  const without = encodeSections(query, reply, { ...reply, additional: [] }, { isTruncated: false, cookie });
  return without.length <= maxOctets ? without : encodeTruncated(query, reply, cookie);
};

/** The TC bit and no records: the client asks again over TCP. */
export const encodeTruncated = (query: Query, reply: Reply, cookie: Buffer | null): Buffer =>
  encodeSections(query, reply, emptyReply(reply.rcode), { isTruncated: true, cookie });

export const addressRecord = (name: string, ttl: number, data: string): ZoneRecord => ({
  name,
  ttl,
  data,
  type: isIPv6(data) ? 'AAAA' : 'A',
});

export const textRecord = (name: string, ttl: number, text: string): ZoneRecord => {
  const bytes = Buffer.from(text);
  const count = Math.max(1, Math.ceil(bytes.length / MAX_TXT_STRING));
  const strings = Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * MAX_TXT_STRING, (at + 1) * MAX_TXT_STRING),
  );
  return { name, ttl, type: 'TXT', data: strings };
};
