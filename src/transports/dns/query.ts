/**
 * Reads a query. dns-packet reads its OPT record. This file reads the question: dns-packet splits a label with a dot
 * into two, and loses octets that are not UTF-8.
 */

import { decode } from 'dns-packet';
import { boundQuery } from '../../net/dns/answer-bounds.ts';
import { readName } from './names.ts';

export const RCODE = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  /** RFC 6891 section 9: its upper bits stand in the OPT record. */
  BADVERS: 16,
} as const;
export type Rcode = (typeof RCODE)[keyof typeof RCODE];

export const TYPE = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  OPT: 41,
  TSIG: 250,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
} as const;

const CLASS_IN = 1;
export const HEADER_OCTETS = 12;
/** The minimum for EDNS (RFC 6891 section 6.2.3), and the limit without it (RFC 1035 section 4.2.1). */
export const PLAIN_UDP_OCTETS = 512;
/** More than the longest question with every option that is in use. */
export const MAX_QUERY_OCTETS = 4_096;
/** OPT, and a few that are ignored. */
const MAX_ADDITIONAL = 4;
export const COOKIE_OPTION = 10;

export interface Question {
  /** In lower case, as {@link readName} writes it. */
  readonly name: string;
  readonly type: number;
  readonly class: number;
  /** As received: the answer repeats the letters' case (0x20). */
  readonly bytes: Buffer;
}

export interface Edns {
  /** The largest UDP answer in octets that the client accepts; at least {@link PLAIN_UDP_OCTETS}. */
  readonly udpOctets: number;
  readonly version: number;
  readonly isDnssecOk: boolean;
  /** The COOKIE option: 8 octets of the client's, then a server's part (RFC 7873 section 4). Null: none. */
  readonly cookie: Buffer | null;
}

export interface Query {
  readonly id: number;
  readonly opcode: number;
  readonly isRecursionDesired: boolean;
  /** Null where it could not be read. */
  readonly question: Question | null;
  readonly edns: Edns | null;
  /** The refusal that is sent without reading the zone; null: the question is answered. */
  readonly refusal: Rcode | null;
}

/** Reads the OPT record; undefined where the records or an option's length are malformed (RFC 7873 section 5.2.2). */
const readEdns = (packet: Buffer): Edns | null | undefined => {
  const bounded = boundQuery(packet);
  if (!bounded) return undefined;
  try {
    const { additionals = [] } = decode(bounded);
    const [opt, ...others] = additionals.filter((each) => each.type === 'OPT');
    // An option that ends behind its record, or octets behind the last record.
    if (decode.bytes !== packet.length || others.length > 0) return undefined;
    if (!opt) return null;
    const cookie = opt.options.find(({ code }) => Number(code) === COOKIE_OPTION)?.data ?? null;
    const isCookie = cookie === null || cookie.length === 8 || (cookie.length >= 16 && cookie.length <= 40);
    if (opt.name !== '.' || !isCookie) return undefined;
    const udpOctets = Math.max(PLAIN_UDP_OCTETS, opt.udpPayloadSize);
    return { udpOctets, version: opt.ednsVersion, isDnssecOk: opt.flag_do, cookie };
  } catch {
    return undefined;
  }
};

const readQuestion = (packet: Buffer): Question | null => {
  const name = readName(packet, HEADER_OCTETS);
  if (!name || name.end + 4 > packet.length) return null;
  return {
    name: name.key,
    type: packet.readUInt16BE(name.end),
    class: packet.readUInt16BE(name.end + 2),
    // A copy: the packet's memory is the socket's.
    bytes: Buffer.from(packet.subarray(HEADER_OCTETS, name.end + 4)),
  };
};

/** @returns null for packets that get no answer: a response, or less than a header, since the sender may be forged */
export const readQuery = (packet: Buffer): Query | null => {
  if (packet.length < HEADER_OCTETS || packet.length > MAX_QUERY_OCTETS) return null;
  const flags = packet.readUInt16BE(2);
  if ((flags & 0x8000) !== 0) return null;
  const opcode = (flags >> 11) & 0xf;
  const base = { id: packet.readUInt16BE(0), opcode, isRecursionDesired: (flags & 0x0100) !== 0 };
  const refuse = (refusal: Rcode, question: Question | null = null): Query => ({
    ...base,
    question,
    edns: null,
    refusal,
  });
  if (opcode !== 0) return refuse(RCODE.NOTIMP);
  const [questions, answers, authorities, additionals] = [4, 6, 8, 10].map((at) => packet.readUInt16BE(at));
  const question = questions === 1 ? readQuestion(packet) : null;
  if (!question) return refuse(RCODE.FORMERR);
  // A transfer's question may carry an SOA record (RFC 1995 section 3).
  if (question.type === TYPE.AXFR || question.type === TYPE.IXFR) return refuse(RCODE.REFUSED, question);
  const isOdd = answers !== 0 || authorities !== 0 || (additionals ?? 0) > MAX_ADDITIONAL || question.type === 0;
  if (isOdd || question.type === TYPE.OPT || question.type === TYPE.TSIG) return refuse(RCODE.FORMERR, question);
  const edns = readEdns(packet);
  if (edns === undefined) return refuse(RCODE.FORMERR, question);
  const refusal = edns && edns.version > 0 ? RCODE.BADVERS : question.class === CLASS_IN ? null : RCODE.REFUSED;
  return { ...base, question, edns, refusal };
};
