/** Writes a response, with names compressed (RFC 1035 section 4.1.4), within the octets that its client takes. */

import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { octetsOfLabel, suffixesOf } from './names.ts';
import { CLASS_IN, type Query, type Rcode, TYPE } from './query.ts';

export type RecordData =
  | { readonly type: 'A' | 'AAAA'; readonly address: string }
  | { readonly type: 'NS' | 'CNAME'; readonly target: string }
  | { readonly type: 'MX'; readonly preference: number; readonly exchange: string }
  | { readonly type: 'TXT'; readonly text: string }
  | {
      readonly type: 'SOA';
      readonly host: string;
      /** The hostmaster's address as a name. */
      readonly mailbox: string;
      readonly serial: number;
      /** Seconds for which an answer that there is nothing is kept (RFC 2308 section 4). */
      readonly minimum: number;
    }
  | { readonly type: 'HINFO'; readonly cpu: string; readonly os: string };

export interface ZoneRecord {
  readonly name: string;
  readonly ttl: number;
  readonly data: RecordData;
}

export interface Reply {
  readonly rcode: Rcode;
  readonly isAuthoritative: boolean;
  readonly answers: readonly ZoneRecord[];
  readonly authority: readonly ZoneRecord[];
  /** Left out where there is no room for it. */
  readonly additional: readonly ZoneRecord[];
}

export const emptyReply = (rcode: Rcode): Reply => ({
  rcode,
  isAuthoritative: false,
  answers: [],
  authority: [],
  additional: [],
});

/** What our own OPT record says: answers of this size pass unfragmented (DNS flag day 2020). */
export const MAX_UDP_OCTETS = 1_232;
const MAX_TXT_STRING = 255;
/** The largest offset of a compression pointer. */
const MAX_POINTER = 0x3fff;
const COOKIE_OPTION = 10;

const uint16 = (value: number): Buffer => Buffer.from([(value >> 8) & 0xff, value & 0xff]);
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
const characterString = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length]), bytes]);

const toStrings = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  const count = Math.max(1, Math.ceil(bytes.length / MAX_TXT_STRING));
  const parts = Array.from({ length: count }, (_, at) =>
    characterString(bytes.subarray(at * MAX_TXT_STRING, (at + 1) * MAX_TXT_STRING)),
  );
  return Buffer.concat(parts);
};

/** Refresh, retry and expire of an SOA record are for secondaries; there are none. */
const SOA_TIMES = [3_600, 600, 604_800];

class Writer {
  readonly #parts: Buffer[] = [];
  readonly #offsets = new Map<string, number>();
  length = 0;

  write(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.length += bytes.length;
  }

  /** Registers the question's name, which stands in its own letter case. */
  know(name: string, at: number): void {
    let offset = at;
    for (const suffix of suffixesOf(name)) {
      this.#offsets.set(suffix, offset);
      offset += octetsOfLabel(suffix) + 1;
    }
  }

  /** Names of the zone: letters, digits, hyphens and underscores alone. */
  encodeName(name: string, at: number): Buffer {
    const parts: Buffer[] = [];
    let offset = at;
    for (const suffix of suffixesOf(name)) {
      const known = this.#offsets.get(suffix);
      if (known !== undefined) return Buffer.concat([...parts, uint16(0xc000 | known)]);
      if (offset <= MAX_POINTER) this.#offsets.set(suffix, offset);
      const label = Buffer.from(suffix.split('.', 1)[0] ?? '', 'latin1');
      parts.push(characterString(label));
      offset += label.length + 1;
    }
    return Buffer.concat([...parts, Buffer.alloc(1)]);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts, this.length);
  }
}

const encodeData = (data: RecordData, writer: Writer, at: number): Buffer => {
  switch (data.type) {
    case 'A':
    case 'AAAA':
      return Buffer.from(ipaddr.parse(data.address).toByteArray());
    case 'NS':
    case 'CNAME':
      return writer.encodeName(data.target, at);
    case 'MX':
      return Buffer.concat([uint16(data.preference), writer.encodeName(data.exchange, at + 2)]);
    case 'TXT':
      return toStrings(data.text);
    case 'SOA': {
      const host = writer.encodeName(data.host, at);
      const mailbox = writer.encodeName(data.mailbox, at + host.length);
      return Buffer.concat([host, mailbox, ...[data.serial, ...SOA_TIMES, data.minimum].map(uint32)]);
    }
    case 'HINFO':
      return Buffer.concat([data.cpu, data.os].map((text) => characterString(Buffer.from(text))));
  }
};

const writeRecord = (writer: Writer, { name, ttl, data }: ZoneRecord): void => {
  const owner = writer.encodeName(name, writer.length);
  writer.write(owner);
  writer.write(Buffer.concat([uint16(TYPE[data.type]), uint16(CLASS_IN), uint32(ttl)]));
  const bytes = encodeData(data, writer, writer.length + 2);
  writer.write(uint16(bytes.length));
  writer.write(bytes);
};

/** RFC 6891 section 6.1.2. @param cookie the COOKIE option's data; null: none */
const optRecord = (query: Query, rcode: Rcode, cookie: Buffer | null): Buffer => {
  const options = cookie ? Buffer.concat([uint16(COOKIE_OPTION), uint16(cookie.length), cookie]) : Buffer.alloc(0);
  return Buffer.concat([
    Buffer.alloc(1),
    uint16(TYPE.OPT),
    uint16(MAX_UDP_OCTETS),
    Buffer.from([rcode >> 4, 0, query.edns?.isDnssecOk ? 0x80 : 0, 0]),
    uint16(options.length),
    options,
  ]);
};

interface Sections {
  answers: readonly ZoneRecord[];
  authority: readonly ZoneRecord[];
  additional: readonly ZoneRecord[];
}

const encode = (query: Query, reply: Reply, sections: Sections, isTruncated: boolean, opt: Buffer | null): Buffer => {
  const writer = new Writer();
  const flags =
    0x8000 |
    (query.opcode << 11) |
    (reply.isAuthoritative ? 0x0400 : 0) |
    (isTruncated ? 0x0200 : 0) |
    (query.isRecursionDesired ? 0x0100 : 0) |
    (reply.rcode & 0xf);
  const { question } = query;
  const counts = [question ? 1 : 0, sections.answers.length, sections.authority.length];
  for (const value of [query.id, flags, ...counts, sections.additional.length + (opt ? 1 : 0)]) {
    writer.write(uint16(value));
  }
  if (question) {
    writer.know(question.name, writer.length);
    writer.write(question.bytes);
  }
  for (const record of [...sections.answers, ...sections.authority, ...sections.additional]) {
    writeRecord(writer, record);
  }
  if (opt) writer.write(opt);
  return writer.bytes();
};

/**
 * @param maxOctets what the client takes; a reply that is larger has the TC bit and no records (RFC 2181 section 9)
 * @param cookie sent with EDNS alone
 */
export const encodeResponse = (query: Query, reply: Reply, maxOctets: number, cookie: Buffer | null): Buffer => {
  const opt = query.edns ? optRecord(query, reply.rcode, cookie) : null;
  const whole = encode(query, reply, reply, false, opt);
  if (whole.length <= maxOctets) return whole;
  const without = encode(query, reply, { ...reply, additional: [] }, false, opt);
  return without.length <= maxOctets ? without : encodeTruncated(query, reply, cookie);
};

/** The TC bit and no records: the client asks again over TCP. */
export const encodeTruncated = (query: Query, reply: Reply, cookie: Buffer | null): Buffer =>
  encode(
    query,
    reply,
    { answers: [], authority: [], additional: [] },
    true,
    query.edns ? optRecord(query, reply.rcode, cookie) : null,
  );

export const addressRecord = (name: string, ttl: number, address: string): ZoneRecord => ({
  name,
  ttl,
  data: { type: isIPv6(address) ? 'AAAA' : 'A', address },
});
