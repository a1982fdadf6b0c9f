/**
 * Reads a query. dns2 is not used for it: a label with a dot in it reads as two there, octets behind the last record are
 * taken, COOKIE options are unknown, and every record of a packet is decoded before any is refused (0.3 ms for 4 096
 * octets). What a server has to read is one question and one OPT record.
 */

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

export const CLASS_IN = 1;
const HEADER_OCTETS = 12;
/** The least that EDNS stands for (RFC 6891 section 6.2.3), and what is sent without it (RFC 1035 section 4.2.1). */
export const PLAIN_UDP_OCTETS = 512;
/** More than the longest question with every option that is in use. */
export const MAX_QUERY_OCTETS = 4_096;
/** OPT, and a few that are passed over. */
const MAX_ADDITIONAL = 4;
const COOKIE_OPTION = 10;

export interface Question {
  /** In lower case, as {@link readName} writes it. */
  readonly name: string;
  readonly type: number;
  readonly class: number;
  /** As it came: the answer repeats the letters' case (0x20). */
  readonly bytes: Buffer;
}

export interface Edns {
  /** Octets of the largest answer over UDP that the client takes; at least {@link PLAIN_UDP_OCTETS}. */
  readonly udpOctets: number;
  readonly version: number;
  readonly isDnssecOk: boolean;
  /** The COOKIE option: 8 octets of the client's, then what a server gave it (RFC 7873 section 4). Null: none. */
  readonly cookie: Buffer | null;
}

export interface Query {
  readonly id: number;
  readonly opcode: number;
  readonly isRecursionDesired: boolean;
  /** Null where it could not be read. */
  readonly question: Question | null;
  readonly edns: Edns | null;
  /** What is answered without a look at the zone; null: the question is. */
  readonly refusal: Rcode | null;
}

type Additional = { kind: 'malformed' } | { kind: 'read'; edns: Edns | null };

const MALFORMED: Additional = { kind: 'malformed' };

/** @returns null for what is malformed; else the COOKIE option, or none */
const readCookie = (options: Buffer): { cookie: Buffer | null } | null => {
  let cookie: Buffer | null = null;
  let at = 0;
  while (at < options.length) {
    if (at + 4 > options.length) return null;
    const code = options.readUInt16BE(at);
    const end = at + 4 + options.readUInt16BE(at + 2);
    if (end > options.length) return null;
    const data = options.subarray(at + 4, end);
    if (code === COOKIE_OPTION && cookie === null) {
      // RFC 7873 section 5.2.2: of any other length it is a format error.
      if (data.length !== 8 && (data.length < 16 || data.length > 40)) return null;
      cookie = data;
    }
    at = end;
  }
  return { cookie };
};

/** Reads the additional records up to the packet's end; only OPT is looked into. */
const readAdditional = (packet: Buffer, start: number, count: number): Additional => {
  let edns: Edns | null = null;
  let at = start;
  for (let n = 0; n < count; n += 1) {
    const owner = readName(packet, at);
    if (!owner || owner.end + 10 > packet.length) return MALFORMED;
    const type = packet.readUInt16BE(owner.end);
    const dataAt = owner.end + 10;
    const end = dataAt + packet.readUInt16BE(owner.end + 8);
    if (end > packet.length) return MALFORMED;
    if (type === TYPE.OPT) {
      const options = readCookie(packet.subarray(dataAt, end));
      // RFC 6891 section 6.1.1: one, and of the root.
      if (edns !== null || owner.key !== '' || !options) return MALFORMED;
      edns = {
        udpOctets: Math.max(PLAIN_UDP_OCTETS, packet.readUInt16BE(owner.end + 2)),
        version: packet[owner.end + 5] ?? 0,
        isDnssecOk: ((packet[owner.end + 6] ?? 0) & 0x80) !== 0,
        cookie: options.cookie,
      };
    }
    at = end;
  }
  return at === packet.length ? { kind: 'read', edns } : MALFORMED;
};

const readQuestion = (packet: Buffer): { question: Question; end: number } | null => {
  const name = readName(packet, HEADER_OCTETS);
  if (!name || name.end + 4 > packet.length) return null;
  const end = name.end + 4;
  const question = {
    name: name.key,
    type: packet.readUInt16BE(name.end),
    class: packet.readUInt16BE(name.end + 2),
    // A copy: the packet's memory is the socket's.
    bytes: Buffer.from(packet.subarray(HEADER_OCTETS, end)),
  };
  return { question, end };
};

/** @returns null for what is not answered at all: a response, or less than a header, whose sender may be forged */
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
  const read = questions === 1 ? readQuestion(packet) : null;
  if (!read) return refuse(RCODE.FORMERR);
  const { question, end } = read;
  // A transfer's question may carry an SOA record (RFC 1995 section 3).
  if (question.type === TYPE.AXFR || question.type === TYPE.IXFR) return refuse(RCODE.REFUSED, question);
  const isOdd = answers !== 0 || authorities !== 0 || (additionals ?? 0) > MAX_ADDITIONAL || question.type === 0;
  if (isOdd || question.type === TYPE.OPT || question.type === TYPE.TSIG) return refuse(RCODE.FORMERR, question);
  const additional = readAdditional(packet, end, additionals ?? 0);
  if (additional.kind === 'malformed') return refuse(RCODE.FORMERR, question);
  const { edns } = additional;
  const refusal = edns && edns.version > 0 ? RCODE.BADVERS : question.class === CLASS_IN ? null : RCODE.REFUSED;
  return { ...base, question, edns, refusal };
};
