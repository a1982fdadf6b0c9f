/** Looks records up without a cache, with aliases and the reason of a failure visible. */

import type { Answer, DecodedPacket } from 'dns-packet';
import type { AskServer } from './query-budget.ts';
import type { MxRecord } from './resolver.ts';

interface Values {
  A: string;
  AAAA: string;
  CNAME: string;
  MX: MxRecord;
  NS: string;
  /** The strings of a record, joined (RFC 7208 section 3.3). */
  TXT: string;
}
export type FreshType = keyof Values;

export type FreshAnswer<V = unknown> =
  | {
      readonly kind: 'answer';
      /** Empty: the name does not exist, or has no such record. */
      readonly values: readonly V[];
      /** The targets of the CNAME records that were followed, in order. */
      readonly aliases: readonly string[];
    }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** The resolver answers once it leaves DNSSEC out: the signatures are wrong. */
      readonly isBogus: boolean;
      /** Whether any server responded, with a code that is no answer. */
      readonly isResponse: boolean;
    };

export type FreshLookup = <T extends FreshType>(name: string, type: T) => Promise<FreshAnswer<Values[T]>>;

/** As many as resolvers follow (RFC 1034 section 3.6.2 has no bound). */
export const MAX_ALIASES = 8;

/** Normalises a name for comparison. */
export const bareName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

const toValue = (record: Answer): unknown => {
  switch (record.type) {
    case 'MX':
      return { exchange: bareName(record.data.exchange), priority: record.data.preference ?? 0 };
    case 'TXT':
      return [record.data]
        .flat()
        .map((part) => (typeof part === 'string' ? part : Buffer.from(part).toString('latin1')))
        .join('');
    case 'CNAME':
    case 'NS':
      return bareName(record.data);
    case 'A':
    case 'AAAA':
      return record.data;
    default:
      return null;
  }
};

/** The records of a packet at the name, or at the end of its CNAME chain. */
export const findRecords = (
  { answers = [] }: Pick<DecodedPacket, 'answers'>,
  name: string,
  type: Answer['type'],
): { records: Answer[]; aliases: string[] } => {
  const aliases: string[] = [];
  let at = bareName(name);
  while (type !== 'CNAME' && aliases.length < MAX_ALIASES) {
    const alias = answers.find((each) => each.type === 'CNAME' && bareName(each.name) === at);
    if (alias?.type !== 'CNAME') break;
    at = bareName(alias.data);
    aliases.push(at);
  }
  return { records: answers.filter((each) => each.type === type && bareName(each.name) === at), aliases };
};

export const readRecords = (packet: Pick<DecodedPacket, 'answers'>, name: string, type: FreshType) => {
  const { records, aliases } = findRecords(packet, name, type);
  return { values: records.map(toValue), aliases };
};

export const rcodeOf = (packet: DecodedPacket): string => (packet as DecodedPacket & { rcode: string }).rcode;

export const isAnswer = (rcode: string): boolean => rcode === 'NOERROR' || rcode === 'NXDOMAIN';

/** UDP loses packets: each resolver is asked twice. */
const ROUNDS = 2;

/** Creates a lookup by recursive resolvers, asked in their order until one answers. */
export const createRecursiveLookup = (ask: AskServer, servers: readonly string[]): FreshLookup => {
  const lookup = async (name: string, type: FreshType): Promise<FreshAnswer> => {
    let failure: FreshAnswer = { kind: 'failed', reason: 'no resolver', isBogus: false, isResponse: false };
    for (const server of Array.from({ length: ROUNDS }, () => servers).flat()) {
      const reply = await ask(server, { name, type });
      if (reply.kind === 'failed') {
        if (!failure.isResponse) failure = { ...failure, reason: reply.reason };
        continue;
      }
      const rcode = rcodeOf(reply.packet);
      if (isAnswer(rcode)) return { kind: 'answer', ...readRecords(reply.packet, name, type) };
      failure = { kind: 'failed', reason: rcode, isBogus: false, isResponse: true };
      if (rcode !== 'SERVFAIL') continue;
      const unvalidated = await ask(server, { name, type, mode: 'unvalidated' });
      if (unvalidated.kind === 'answer' && isAnswer(rcodeOf(unvalidated.packet))) return { ...failure, isBogus: true };
    }
    return failure;
  };
  return lookup as FreshLookup;
};

type NodeResolve = (name: string, type: string) => Promise<string[] | string[][] | object[]>;

const TYPES: readonly string[] = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT'] satisfies FreshType[];

const noRecord = (code: string): Error => Object.assign(new Error(code), { code });

/**
 * Gives a fresh lookup the form of node:dns, which mailauth takes. It does not know every type: of others (PTR) there
 * are no records.
 */
export const toDnsResolve =
  (lookup: FreshLookup): NodeResolve =>
  async (name, type) => {
    if (!TYPES.includes(type)) throw noRecord('ENODATA');
    const answer = await lookup(name, type as FreshType);
    if (answer.kind === 'failed') throw noRecord('ESERVFAIL');
    if (answer.values.length === 0) throw noRecord('ENODATA');
    return type === 'TXT' ? answer.values.map((value) => [String(value)]) : ([...answer.values] as object[]);
  };
