/** A DNS server for tests: a zone in memory over UDP and TCP, by default on one free port of 127.0.0.1. */

import { once } from 'node:events';
import type { Socket } from 'node:net';
import dns2, { Packet } from 'dns2';

export interface ZoneValues {
  A: string;
  AAAA: string;
  CNAME: string;
  MX: { exchange: string; priority: number };
  NS: string;
  PTR: string;
  /** Cut into strings of 255 bytes, as every server does. */
  TXT: string;
  TLSA: { usage: number; selector: number; matchingType: number; data: Buffer };
}

export type ZoneType = keyof ZoneValues;
type Records = { [T in ZoneType]?: ZoneValues[T][] };
/** `truncated`: whole over TCP alone. `bogus`: SERVFAIL unless the question has validation off (CD). */
type Fault = 'SERVFAIL' | 'REFUSED' | 'silent' | 'truncated' | 'bogus';

/** RFC 6698 section 2.1, which dns2 does not know. */
const tlsaCodec = {
  encode: (record: ZoneValues['TLSA'], writer: { write(value: number, bits: number): void }) => {
    for (const octet of [record.usage, record.selector, record.matchingType, ...record.data]) writer.write(octet, 8);
  },
};
const TYPES: Readonly<Record<ZoneType, number>> = Object.assign(Packet.TYPE, { TLSA: 52 });
Object.assign(Packet.TYPE_NAME, { 52: 'TLSA' });
Object.assign(Packet.Resource, { TLSA: tlsaCodec });

const keyOf = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** Names and their records. A name without records that has names under it exists: NODATA, not NXDOMAIN. */
export class Zone {
  readonly #names = new Map<string, Records>();
  readonly #faults = new Map<string, Fault>();
  readonly #signed = new Set<string>();
  readonly #delegated = new Map<string, readonly string[]>();

  constructor(initial: Record<string, Records> = {}) {
    for (const [name, records] of Object.entries(initial)) this.#names.set(keyOf(name), { ...records });
  }

  /** Replaces the records of a name and type; an empty list leaves the name there without that type. */
  set<T extends ZoneType>(name: string, type: T, values: ZoneValues[T][]): void {
    const records: Records = { ...this.#names.get(keyOf(name)) };
    Object.assign(records, { [type]: values });
    this.#names.set(keyOf(name), records);
  }

  delete(name: string): void {
    this.#names.delete(keyOf(name));
  }

  /** Makes every question about a name fail, or go unanswered; null ends that. */
  fail(name: string, fault: Fault | null): void {
    if (fault === null) this.#faults.delete(keyOf(name));
    else this.#faults.set(keyOf(name), fault);
  }

  faultOf(name: string): Fault | null {
    return this.#faults.get(keyOf(name)) ?? null;
  }

  /** Answers every iterative question about a domain and what is below it with a referral to these name servers. */
  delegate(domain: string, hosts: readonly string[]): void {
    this.#delegated.set(keyOf(domain), hosts);
  }

  delegationOf(name: string): { domain: string; hosts: readonly string[] } | null {
    const found = [...this.#delegated].find(([domain]) => `.${keyOf(name)}`.endsWith(`.${domain}`));
    return found ? { domain: found[0], hosts: found[1] } : null;
  }

  /** Has answers about a domain and what is below it count as validated. */
  sign(domain: string): void {
    this.#signed.add(keyOf(domain));
  }

  isSigned(name: string): boolean {
    return [...this.#signed].some((domain) => `.${keyOf(name)}`.endsWith(`.${domain}`));
  }

  /** The records of a name that does not exist: those of the wildcard above it (RFC 4592). */
  #wildcard(name: string): Records | undefined {
    return this.exists(name) ? undefined : this.#names.get(`*.${keyOf(name).split('.').slice(1).join('.')}`);
  }

  answers(name: string): boolean {
    return this.exists(name) || this.#wildcard(name) !== undefined;
  }

  exists(name: string): boolean {
    const key = keyOf(name);
    return this.#names.has(key) || [...this.#names.keys()].some((other) => other.endsWith(`.${key}`));
  }

  get<T extends ZoneType>(name: string, type: T): ZoneValues[T][] {
    return (this.#names.get(keyOf(name)) ?? this.#wildcard(name))?.[type] ?? [];
  }
}

/** Says one address of a name to the first that asks and another to the next, as a rebinding attack does; the last one stays. */
export class RebindingZone extends Zone {
  readonly #name: string;
  readonly #turns: string[];

  constructor(name: string, ...turns: string[]) {
    super({ [name]: {} });
    this.#name = name;
    this.#turns = turns;
  }

  override get<T extends ZoneType>(name: string, type: T): ZoneValues[T][] {
    if (name !== this.#name || type !== 'A') return super.get(name, type);
    const next = this.#turns.length > 1 ? this.#turns.shift() : this.#turns[0];
    return [next] as ZoneValues[T][];
  }
}

/** The name under which an IPv4 address's PTR record stands. */
export const iprevName = (ipv4: string): string => `${ipv4.split('.').reverse().join('.')}.in-addr.arpa`;

const TXT_STRING_BYTES = 255;
const stringsOf = (text: string): Buffer[] => {
  const bytes = Buffer.from(text);
  const count = Math.max(1, Math.ceil(bytes.length / TXT_STRING_BYTES));
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * TXT_STRING_BYTES, (at + 1) * TXT_STRING_BYTES));
};

type Data = Record<string, unknown>;
const dataOf = (zone: Zone, name: string, type: ZoneType): Data[] => {
  switch (type) {
    case 'A':
    case 'AAAA':
      return zone.get(name, type).map((address) => ({ address }));
    case 'CNAME':
    case 'PTR':
      return zone.get(name, type).map((domain) => ({ domain }));
    case 'NS':
      return zone.get(name, type).map((ns) => ({ ns }));
    case 'MX':
      return zone.get(name, type).map((value) => ({ ...value }));
    case 'TLSA':
      return zone.get(name, type).map((value) => ({ ...value }));
    case 'TXT':
      return zone.get(name, type).map((text) => ({ data: stringsOf(text) }));
  }
};

const TTL = 60;
const answersTo = (zone: Zone, name: string, type: ZoneType) => {
  const records = dataOf(zone, name, type).map((data) => ({ name, type: TYPES[type], data }));
  const alias = type === 'CNAME' || records.length > 0 ? undefined : zone.get(name, 'CNAME')[0];
  if (alias === undefined) return records;
  const link = { name, type: TYPES.CNAME, data: { domain: alias } };
  return [link, ...dataOf(zone, alias, type).map((data) => ({ name: alias, type: TYPES[type], data }))];
};

const isZoneType = (text: string): text is ZoneType =>
  ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'PTR', 'TXT', 'TLSA'].includes(text);

const respond = (zone: Zone, request: Packet, transport: 'udp' | 'tcp'): Packet | null => {
  const question = request.questions[0];
  const name = question?.name ?? '';
  const type = Packet.typeName(question?.type ?? 0);
  const fault = zone.faultOf(name);
  if (fault === 'silent') return null;
  const response = Packet.createResponseFromRequest(request);
  response.header.aa = 1;
  response.header.ra = 1;
  // RFC 6840 section 5.8: the verdict is for those who ask for it.
  if (zone.isSigned(name) && 'ad' in request.header && request.header.ad) Object.assign(response.header, { ad: 1 });
  const delegation = request.header.rd === 0 ? zone.delegationOf(name) : null;
  if (delegation) {
    response.header.aa = 0;
    response.authorities = delegation.hosts.map((ns) =>
      Object.assign(
        new Packet.Resource({ name: delegation.domain, type: TYPES.NS, class: Packet.CLASS.IN, ttl: TTL }),
        {
          ns,
        },
      ),
    );
    return response;
  }
  if (fault === 'truncated' && transport === 'udp') response.header.tc = 1;
  else if (fault === 'bogus' && !('cd' in request.header && request.header.cd)) {
    response.header.rcode = Packet.RCODE.SERVFAIL;
  } else if (fault && fault !== 'truncated' && fault !== 'bogus') response.header.rcode = Packet.RCODE[fault];
  else if (!zone.answers(name)) response.header.rcode = Packet.RCODE.NXDOMAIN;
  else if (isZoneType(type)) {
    response.answers = answersTo(zone, name, type).map(({ data, ...record }) =>
      Object.assign(new Packet.Resource({ ...record, class: Packet.CLASS.IN, ttl: TTL }), data),
    );
  }
  return response;
};

export interface Query {
  readonly name: string;
  readonly type: string;
  readonly transport: 'udp' | 'tcp';
}

export interface TestDns extends AsyncDisposable {
  /** As `[dns] resolvers` and createResolver take it. */
  readonly server: string;
  readonly zone: Zone;
  /** Every question that came, in order. */
  readonly queries: Query[];
  close(): Promise<void>;
}

type Server = InstanceType<typeof dns2.TCPServer>;

interface Place {
  host: string;
  /** 0: a free one. */
  port: number;
}

/** UDP takes a free port, TCP has to get the same one. */
const bindBoth = async (handle: (transport: 'udp' | 'tcp') => dns2.DnsHandler, { host, port: wanted }: Place) => {
  for (let attempt = 1; ; attempt++) {
    const udp = dns2.createUDPServer(handle('udp'));
    await udp.listen(wanted, host);
    const { port } = udp.address();
    const tcp: Server = dns2.createTCPServer(handle('tcp'));
    try {
      tcp.listen(port, host);
      await once(tcp, 'listening');
      return { udp, tcp, port };
    } catch (error) {
      udp.close();
      if (attempt === 10) throw error;
    }
  }
};

/** Starts a server for a zone, which may change while it runs. */
export const startDns = async (
  initial: Record<string, Records> | Zone = {},
  place: Place = { host: '127.0.0.1', port: 0 },
): Promise<TestDns> => {
  const zone = initial instanceof Zone ? initial : new Zone(initial);
  const queries: Query[] = [];
  const { udp, tcp, port } = await bindBoth(
    (transport) => (request, send) => {
      const question = request.questions[0];
      if (question) queries.push({ name: question.name, type: Packet.typeName(question.type), transport });
      const response = respond(zone, request, transport);
      if (response) void send(response);
    },
    place,
  );
  const sockets = new Set<Socket>();
  tcp.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const close = async () => {
    const closed = Promise.all([once(udp, 'close'), once(tcp, 'close')]);
    udp.close();
    tcp.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { server: `${place.host}:${port}`, zone, queries, close, [Symbol.asyncDispose]: close };
};
